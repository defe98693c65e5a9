import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type HostLease,
  type HostLeaseAnswer,
  type LeaseAnswer,
  type LeaseId,
  type PreviousPage,
  type RenewAnswer,
  type RobotsCopy,
  WebfarerError,
} from '@webfarer/protocol';
import type { RequestSecrets } from '@webfarer/protocol/job';
import { frameBounds } from '@webfarer/protocol/link';
import type { Call, Conversation } from './conversation.ts';
import type { Delivery } from './delivery.ts';
import { createDryGate } from './dry-gate.ts';

export interface RemoteLinkOptions {
  clock: Clock;
  /** Whoever can be asked now. */
  at: () => Conversation | undefined;
  /** Until the outbox is open there is none. */
  delivery: () => Delivery | undefined;
  /** What this worker was granted and no coordinator has been told to be over. */
  held: Set<LeaseId>;
}

export interface RemoteLink extends CoordinatorLink {
  secrets(crawl: CrawlId): Promise<RequestSecrets>;
  /** Something may be due that was not. */
  wake(): void;
}

const BUSY_LOOK_MS = 1_000;

/** The coordinator's link over whichever connection there is. Without one the worker just finds nothing to do. */
export function createRemoteLink({ clock, at, delivery, held }: RemoteLinkOptions): RemoteLink {
  const gate = createDryGate(clock);

  async function ask<T>(call: Call): Promise<T> {
    const talk = at();
    if (!talk) throw new WebfarerError('link-lost', 'no coordinator is connected');
    return (await talk.call(call)) as T;
  }

  /** What to answer where nobody can be asked. */
  async function askOr<T>(call: Call, away: T): Promise<T> {
    try {
      return await ask<T>(call);
    } catch (error) {
      if (error instanceof WebfarerError && error.code === 'link-lost') return away;
      throw error;
    }
  }

  function hold(leases: HostLease[]): void {
    for (const { id } of leases) held.add(id);
  }

  return {
    wake: () => gate.open(),
    async lease({ hosts: wanted, urlsPerHost, without }) {
      const quietMs = gate.quietMs();
      if (quietMs > 0) return { leases: [], nextDueMs: Math.ceil(quietMs) };
      const away: LeaseAnswer = { leases: [], nextDueMs: null };
      // Whoever has more hands asks again for the rest.
      const hosts = Math.min(wanted, frameBounds.hosts);
      // What is given nevertheless goes back.
      const left = without?.slice(0, frameBounds.crawls);
      const asked = { type: 'lease', hosts, urlsPerHost, ...(left ? { without: left } : {}) } as const;
      const answer = await askOr(asked, away);
      if (answer === away) return away;
      hold(answer.leases);
      const missing = gate.answered(hosts, answer);
      if (missing > 0) at()?.tell({ type: 'dry', hosts: missing });
      return answer;
    },
    async leaseHost({ crawl, host }) {
      const away: HostLeaseAnswer = { granted: false, retryAfterMs: BUSY_LOOK_MS };
      const answer = await askOr<HostLeaseAnswer>({ type: 'leaseHost', crawl, host }, away);
      if (answer.granted) hold([answer.lease]);
      return answer;
    },
    async robots(origin) {
      return (await askOr<RobotsCopy | null>({ type: 'robots', origin }, null)) ?? undefined;
    },
    async previous(question) {
      const page = await ask<PreviousPage | null>({ type: 'previous', ...question });
      // A coordinator of an earlier version tells no items.
      return page ? { ...page, items: page.items ?? [] } : undefined;
    },
    secrets: (crawl) => ask<RequestSecrets>({ type: 'secrets', crawl }),
    async renew(leases) {
      const answers: RenewAnswer[] = [];
      for (let from = 0; from < leases.length; from += frameBounds.leases) {
        const part = leases.slice(from, from + frameBounds.leases);
        answers.push(...(await ask<RenewAnswer[]>({ type: 'renew', leases: part })));
      }
      for (const [i, { id }] of leases.entries()) if (answers[i]?.ok === false) held.delete(id);
      return answers;
    },
    async report(reports) {
      const way = delivery();
      if (!way) throw new WebfarerError('link-lost', 'the link is not started');
      const answers = await way.report(reports);
      // What was given back or found may be due for ourselves.
      gate.open();
      return answers;
    },
  };
}
