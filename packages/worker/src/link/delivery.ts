import {
  type Clock,
  isStorageTrouble,
  type LeaseId,
  type LeaseReport,
  type ReportAnswer,
  WebfarerError,
} from '@webfarer/protocol';
import type { SentReports } from '@webfarer/protocol/link';
import type { Conversation } from './conversation.ts';
import { createKnownOffers } from './known-offers.ts';
import type { Kept, Outbox } from './outbox.ts';
import type { Spool } from './spool.ts';
import { joinAnswers, packFrame, reportFrames } from './report-frames.ts';

/** Takes reports to whichever coordinator is there, and keeps them on disk while there is none. */
export interface Delivery {
  /**
   * Resolves when they are durable: with the coordinator's answers, or as kept in the outbox. What is kept counts as
   * accepted; should its lease be over when it arrives, nothing is changed, and the URLs are fetched again.
   */
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;
  /** Sends there from now on, first what was kept; resolves when nothing is left of that, or rejects. */
  connect(to: Conversation): Promise<void>;
  /** What is reported from now on is kept. */
  disconnect(from: Conversation): void;
  readonly waiting: number;
  close(): Promise<void>;
}

export interface DeliveryOptions {
  outbox: Outbox;
  /** Where captures wait that go with the reports. */
  spool?: Spool | undefined;
  clock: Clock;
  /** A coordinator has taken note that this lease is over. */
  closed(lease: LeaseId): void;
  /** A coordinator will not have what was kept. */
  refused(error: WebfarerError): void;
}

/** How soon what a coordinator could not store is sent again. */
const AGAIN_MS = 1_000;

export function createDelivery({ outbox, spool, clock, closed, refused }: DeliveryOptions): Delivery {
  const known = createKnownOffers();
  let target: Conversation | undefined;
  let emptying: Promise<void> | undefined;

  async function send({ reports, edges }: SentReports, to: Conversation): Promise<ReportAnswer[]> {
    await spool?.bring(reports, to);
    const answers = (await to.call({ type: 'report', reports, edges })) as ReportAnswer[];
    await spool?.settled(reports);
    for (const [i, { id, close }] of reports.entries()) if (close || !answers[i]?.ok) closed(id);
    return answers;
  }

  /**
   * What was kept goes first: a lease must not be closed before the rest of its pages has arrived. Reports are kept
   * with all their links: the store that they reach one day may not know what this one knows.
   */
  async function deliver(reports: LeaseReport[]): Promise<ReportAnswer[]> {
    const atMs = clock.now();
    const to = target;
    if (to && outbox.size === 0 && !emptying) {
      try {
        return await known.report(reports, (trimmed) => send(packFrame(trimmed), to));
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
    await outbox.add(packFrame(reports), atMs);
    if (target) empty(target).catch(() => undefined);
    return reports.map(() => ({ ok: true, accepted: 0, known: 0 }));
  }

  /** False: the coordinator cannot store it now. */
  async function sendKept(kept: Kept, to: Conversation): Promise<boolean> {
    try {
      await send(aged(kept, clock.now()), to);
      return true;
    } catch (error) {
      if (!(error instanceof WebfarerError) || isLost(error)) throw error;
      if (isStorageTrouble(error)) return false;
      // It will never be taken, and what comes behind it must not wait for ever: its URLs are fetched again.
      refused(error);
      await spool?.settled(kept.sent.reports);
      return true;
    }
  }

  async function emptyInto(to: Conversation): Promise<void> {
    for (let kept = outbox.first(); kept && to === target; kept = outbox.first()) {
      if (await sendKept(kept, to)) await outbox.shift();
      else await clock.sleep(AGAIN_MS);
    }
  }

  /** One at a time: two would send the same. */
  async function empty(to: Conversation): Promise<void> {
    while (emptying) await emptying.catch(() => undefined);
    if (to !== target) return;
    emptying = emptyInto(to).finally(() => {
      emptying = undefined;
    });
    await emptying;
  }

  return {
    async report(reports) {
      const frames = reportFrames(reports);
      const answers: ReportAnswer[][] = [];
      for (const frame of frames) answers.push(await deliver(frame.reports));
      return joinAnswers(reports.length, frames, answers);
    },
    async connect(to) {
      target = to;
      await empty(to);
    },
    disconnect(from) {
      if (target === from) target = undefined;
    },
    get waiting() {
      return outbox.size;
    },
    async close() {
      target = undefined;
      await emptying?.catch(() => undefined);
      await outbox.close();
    },
  };
}

function isLost(error: unknown): boolean {
  return error instanceof WebfarerError && error.code === 'link-lost';
}

/** The pause a host is owed counts from the end of its last request, which by now is longer ago. */
function aged({ sent, atMs }: Kept, now: number): SentReports {
  if (atMs === undefined) return sent;
  const reports = sent.reports.map((report) => {
    const { endedAgoMs } = report.news;
    if (endedAgoMs === null) return report;
    return { ...report, news: { ...report.news, endedAgoMs: endedAgoMs + Math.max(0, now - atMs) } };
  });
  return { ...sent, reports };
}
