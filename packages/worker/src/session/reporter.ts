import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  HostNews,
  LeaseReport,
  ReportAnswer,
} from '@webfarer/protocol';
import type { Tracing } from '../tracing/tracing.ts';
import type { WriteGate } from '../disk/storage-gate.ts';

/** A report before it is sent: the age of the last request is worked out at the moment of sending. */
export interface PendingReport extends Omit<LeaseReport, 'news'> {
  /** Of the store: that of its lease. */
  part: number;
  news: Omit<HostNews, 'endedAgoMs'> & { endedAtMs: number | null };
}

/**
 * Group commit of finished work. Whatever piled up while the last batch was on its way goes out as the
 * next one: bodies to disk first, then the reports, so a recorded outcome never points at bytes that a
 * crash took away. Each part of the store, and each crawl, has batches of its own: one that is slow or fails holds up no
 * other. Those of several crawls that are ready at once share a frame.
 */
export interface Reporter {
  /**
   * Resolves when the report is durable, with the coordinator's answer. Rejects when it could not be secured; its lease is
   * given back all the same, if it was the last of it.
   */
  add(report: PendingReport): Promise<ReportAnswer>;
  /** Resolves when everything added so far is durable. */
  drain(): Promise<void>;
  readonly waiting: number;
}

export interface ReporterOptions {
  link: CoordinatorLink;
  /** Makes durable what these reports of a crawl point at. */
  secure: (crawl: CrawlId, reports: readonly PendingReport[]) => Promise<void>;
  clock: Clock;
  storage: WriteGate;
  /** Aborted when what is left is dropped. */
  signal: AbortSignal;
  tracing: Tracing;
  /** Called after each batch: new work may be due. */
  committed: (accepted: number) => void;
  /**
   * From one batch to the next at least, where none of it ends a lease: nobody waits for the answer, and each batch costs
   * the coordinator a frame and a commit. A report that comes alone is sent at once.
   */
  gatherMs?: number;
}

interface Waiting {
  report: PendingReport;
  resolve: (answer: ReportAnswer) => void;
  reject: (error: unknown) => void;
}

/** What goes to one part of the store. */
interface Part {
  /** Its crawls that have something to report. */
  lanes: Map<CrawlId, Lane>;
  /** Secured, and to be sent with the next frame. */
  ready: Waiting[];
  isSending: boolean;
  sentAtMs: number;
  /** Aborted when what is gathered has to go. */
  hurry: AbortController;
}

/** Of one crawl, to one part. */
interface Lane {
  queue: Waiting[];
}

/** More than this in one batch would hold the store too long. */
const MAX_BATCH = 500;
/** One for all: building an error for each would cost more than the wait. */
const hurried = new Error('hurry');

export function createReporter(options: ReporterOptions): Reporter {
  const { clock, gatherMs = 0 } = options;
  const parts = new Map<number, Part>();
  const working = new Set<Promise<void>>();

  async function send(batch: Waiting[]): Promise<void> {
    const deliver = async () => {
      const now = clock.now();
      return await options.link.report(batch.map(({ report }) => stamped(report, now)));
    };
    const about = () => ({ 'webfarer.reports': batch.length });
    const answers = await options.tracing.run('webfarer.report', about, () =>
      options.storage.attempt(deliver),
    );
    let accepted = 0;
    for (const [i, waiting] of batch.entries()) {
      const answer = answers[i] ?? { ok: false };
      if (answer.ok) accepted += answer.accepted;
      waiting.resolve(answer);
    }
    options.committed(accepted);
  }

  async function sendReady(part: Part): Promise<void> {
    if (part.isSending) return;
    part.isSending = true;
    while (part.ready.length > 0) {
      const batch = part.ready.splice(0, MAX_BATCH);
      part.sentAtMs = clock.now();
      try {
        await send(batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    part.isSending = false;
  }

  async function pump(part: Part, crawl: CrawlId, lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      if (gatherMs > 0) await gather(part, lane, { clock, gatherMs });
      const batch = await secured(crawl, lane.queue.splice(0, MAX_BATCH), options);
      if (batch.length === 0) continue;
      const sent = batch.map(settledOf);
      part.ready.push(...sent.map(({ waiting }) => waiting));
      void sendReady(part);
      await Promise.all(sent.map(({ done }) => done));
    }
    part.lanes.delete(crawl);
  }

  function partFor(number: number): Part {
    const part = parts.get(number) ?? newPart();
    parts.set(number, part);
    return part;
  }

  /** One turn of the loop later, so that reports of the same moment share a batch. */
  function begin(part: Part, crawl: CrawlId): Lane {
    const known = part.lanes.get(crawl);
    if (known) return known;
    const lane: Lane = { queue: [] };
    part.lanes.set(crawl, lane);
    const work = Promise.resolve()
      .then(() => pump(part, crawl, lane))
      .finally(() => working.delete(work));
    working.add(work);
    return lane;
  }

  return {
    add(report) {
      const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
      const part = partFor(report.part);
      const { queue } = begin(part, report.crawl);
      queue.push({ report, resolve, reject });
      if (report.close || queue.length >= MAX_BATCH) part.hurry.abort(hurried);
      return promise;
    },
    async drain() {
      while (working.size > 0) {
        for (const { hurry } of parts.values()) hurry.abort(hurried);
        await Promise.all(working);
      }
    },
    get waiting() {
      return [...parts.values()].reduce(
        (sum, { lanes, ready }) =>
          [...lanes.values()].reduce((all, { queue }) => all + queue.length, sum + ready.length),
        0,
      );
    },
  };
}

function newPart(): Part {
  return {
    lanes: new Map(),
    ready: [],
    isSending: false,
    sentAtMs: Number.NEGATIVE_INFINITY,
    hurry: new AbortController(),
  };
}

/** Until somebody waits for an answer, or it has been long enough since the last batch. */
async function gather(
  part: Part,
  { queue }: Lane,
  { clock, gatherMs }: { clock: Clock; gatherMs: number },
): Promise<void> {
  const leftMs = part.sentAtMs + gatherMs - clock.now();
  if (leftMs <= 0 || queue.length >= MAX_BATCH || queue.some(({ report }) => report.close)) return;
  if (part.hurry.signal.aborted) part.hurry = new AbortController();
  await clock.sleep(Math.ceil(leftMs), part.hurry.signal).catch(() => undefined);
}

/** Those that can be sent. What could not be secured is not reported, so its URLs go back with their lease. */
async function secured(
  crawl: CrawlId,
  batch: Waiting[],
  { secure, signal }: Pick<ReporterOptions, 'secure' | 'signal'>,
): Promise<Waiting[]> {
  const pointing = batch.map(({ report }) => report).filter(({ settled }) => settled.length > 0);
  if (pointing.length === 0) return batch;
  try {
    await secure(crawl, pointing);
    return batch;
  } catch (error) {
    if (!signal.aborted) return batch.flatMap((waiting) => withoutOutcomes(waiting, error));
    for (const { reject } of batch) reject(error);
    return [];
  }
}

/** The same, and when it has been answered or has failed. */
function settledOf({ report, resolve, reject }: Waiting): { waiting: Waiting; done: Promise<void> } {
  const over = Promise.withResolvers<void>();
  const waiting: Waiting = {
    report,
    resolve(answer) {
      resolve(answer);
      over.resolve();
    },
    reject(error) {
      reject(error);
      over.resolve();
    },
  };
  return { waiting, done: over.promise };
}

/** The end of a lease is told without what could not be secured; whoever waits for the report hears why. */
function withoutOutcomes(waiting: Waiting, error: unknown): Waiting[] {
  const { report, reject } = waiting;
  if (report.settled.length === 0) return [waiting];
  if (!report.close) {
    reject(error);
    return [];
  }
  const fail = () => reject(error);
  return [{ report: { ...report, settled: [] }, resolve: fail, reject: fail }];
}

/** An end that is still to come, because a host is given a moment to note it, makes the gap longer by as much. */
function stamped({ part: _part, news, ...rest }: PendingReport, now: number): LeaseReport {
  const { endedAtMs, ...told } = news;
  if (endedAtMs === null) return { ...rest, news: { ...told, endedAgoMs: null } };
  const gapMs = told.gapMs + Math.max(0, endedAtMs - now);
  return { ...rest, news: { ...told, gapMs, endedAgoMs: Math.max(0, now - endedAtMs) } };
}
