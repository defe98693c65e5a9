import {
  type Clock,
  type CrawlId,
  type LeaseId,
  type LeaseReport,
  type ReportAnswer,
  type SentReports,
  WebfarerError,
} from '@webfarer/protocol';
import type { Conversation } from './conversation.ts';
import { createKnownOffers, type KnownOffers } from './known-offers.ts';
import type { Kept, Outbox } from './outbox.ts';
import { joinAnswers, type ReportFrame, reportFrames } from './report-frames.ts';

/** Takes reports to whichever coordinator is there, and keeps them on disk while there is none. */
export interface Delivery {
  /**
   * Resolves when they are durable: with the coordinator's answers, or as kept in the outbox. What is kept counts as
   * accepted; should its lease be over when it arrives, nothing is changed, and the URLs are fetched again.
   */
  report(reports: LeaseReport[], to: Conversation | undefined): Promise<ReportAnswer[]>;
  /** Sends what was kept, in order; resolves when nothing is left. */
  replay(to: Conversation): Promise<void>;
  readonly waiting: number;
  close(): Promise<void>;
}

export interface DeliveryOptions {
  outbox: Outbox;
  clock: Clock;
  /** A coordinator has taken note that this lease is over. */
  closed(lease: LeaseId): void;
}

/** Crawls whose known URLs are remembered. */
const MOST_CRAWLS = 8;

export function createDelivery({ outbox, clock, closed }: DeliveryOptions): Delivery {
  const known = new Map<CrawlId, KnownOffers>();

  function knownOf(crawl: CrawlId): KnownOffers {
    const there = known.get(crawl) ?? createKnownOffers();
    known.delete(crawl);
    known.set(crawl, there);
    if (known.size > MOST_CRAWLS) known.delete([...known.keys()][0] as CrawlId);
    return there;
  }

  async function send(sent: SentReports, to: Conversation): Promise<ReportAnswer[]> {
    const { reports, edges } = sent;
    const answers = (await to.call({ type: 'report', reports, edges })) as ReportAnswer[];
    for (const [i, { id, close }] of reports.entries()) if (close || !answers[i]?.ok) closed(id);
    return answers;
  }

  async function deliver(frame: ReportFrame, to: Conversation | undefined): Promise<ReportAnswer[]> {
    // What was kept goes first: a lease must not be closed before the rest of its pages has arrived.
    if (to && outbox.size === 0) {
      const atMs = clock.now();
      try {
        return await send(frame, to);
      } catch (error) {
        if (!(error instanceof WebfarerError && error.code === 'link-lost')) throw error;
        return await keep(frame, atMs);
      }
    }
    return await keep(frame, clock.now());
  }

  async function keep({ reports, edges }: ReportFrame, atMs: number): Promise<ReportAnswer[]> {
    await outbox.add({ reports, edges }, atMs);
    return reports.map(() => ({ ok: true, accepted: 0, known: 0 }));
  }

  return {
    async report(reports, to) {
      const sent = reports.map((report) => knownOf(report.crawl).without([report])[0] ?? report);
      const frames = reportFrames(sent);
      const answers: ReportAnswer[][] = [];
      for (const frame of frames) answers.push(await deliver(frame, to));
      const joined = joinAnswers(reports.length, frames, answers);
      for (const [i, report] of sent.entries())
        knownOf(report.crawl).learn([report], [joined[i] ?? { ok: false }]);
      return joined;
    },
    async replay(to) {
      for (let kept = outbox.first(); kept; kept = outbox.first()) {
        await send(aged(kept, clock.now()), to);
        await outbox.shift();
      }
    },
    get waiting() {
      return outbox.size;
    },
    close: () => outbox.close(),
  };
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
