import type { Clock, CoordinatorLink, HostNews, LeaseReport, ReportAnswer } from '@webfarer/protocol';
import type { Saver } from '../save/saver.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { StorageGate } from '../disk/storage-gate.ts';

/** A report before it is sent: the age of the last request is worked out at the moment of sending. */
export interface PendingReport extends Omit<LeaseReport, 'news'> {
  /** Of the store: that of its lease. */
  part: number;
  news: Omit<HostNews, 'endedAgoMs'> & { endedAtMs: number | null };
}

/**
 * Group commit of finished work. Whatever piled up while the last batch was on its way goes out as the
 * next one: bodies to disk first, then the reports, so a recorded outcome never points at bytes that a
 * crash took away. Each part of the store has batches of its own: one that is slow holds up no other.
 */
export interface Reporter {
  /** Resolves when the report is durable, with the coordinator's answer. */
  add(report: PendingReport): Promise<ReportAnswer>;
  /** Resolves when everything added so far is durable. */
  drain(): Promise<void>;
  readonly waiting: number;
}

export interface ReporterOptions {
  link: CoordinatorLink;
  savers: () => Iterable<Saver>;
  clock: Clock;
  storage: StorageGate;
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
  queue: Waiting[];
  isSending: boolean;
  sentAtMs: number;
  /** Aborted when what is gathered has to go. */
  hurry: AbortController;
}

/** More than this in one batch would hold the store too long. */
const MAX_BATCH = 500;
/** One for all: building an error for each would cost more than the wait. */
const hurried = new Error('hurry');

export function createReporter(options: ReporterOptions): Reporter {
  const { clock, gatherMs = 0 } = options;
  const parts = new Map<number, Part>();
  const sending = new Set<Promise<void>>();

  async function send(batch: Waiting[]): Promise<void> {
    const deliver = async () => {
      await Promise.all([...options.savers()].map((saver) => saver.sync()));
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

  /** Until somebody waits for an answer, or it has been long enough since the last batch. */
  async function gather(part: Part): Promise<void> {
    const leftMs = part.sentAtMs + gatherMs - clock.now();
    if (leftMs <= 0 || part.queue.length >= MAX_BATCH || part.queue.some(({ report }) => report.close))
      return;
    part.hurry = new AbortController();
    await clock.sleep(Math.ceil(leftMs), part.hurry.signal).catch(() => undefined);
  }

  async function pump(part: Part): Promise<void> {
    while (part.queue.length > 0) {
      if (gatherMs > 0) await gather(part);
      const batch = part.queue.splice(0, MAX_BATCH);
      part.sentAtMs = clock.now();
      try {
        await send(batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    part.isSending = false;
  }

  /** One turn of the loop later, so that reports of the same moment share a batch. */
  function begin(part: Part): void {
    if (part.isSending) return;
    part.isSending = true;
    const sent = Promise.resolve()
      .then(() => pump(part))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  }

  function partFor(number: number): Part {
    const known = parts.get(number);
    if (known) return known;
    const hurry = new AbortController();
    const part: Part = { queue: [], isSending: false, sentAtMs: Number.NEGATIVE_INFINITY, hurry };
    parts.set(number, part);
    return part;
  }

  return {
    add(report) {
      const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
      const part = partFor(report.part);
      part.queue.push({ report, resolve, reject });
      if (report.close || part.queue.length >= MAX_BATCH) part.hurry.abort(hurried);
      begin(part);
      return promise;
    },
    async drain() {
      while (sending.size > 0) {
        for (const { hurry } of parts.values()) hurry.abort(hurried);
        await Promise.all(sending);
      }
    },
    get waiting() {
      return [...parts.values()].reduce((sum, { queue }) => sum + queue.length, 0);
    },
  };
}

/** An end that is still to come, because a host is given a moment to note it, makes the gap longer by as much. */
function stamped({ part: _part, news, ...rest }: PendingReport, now: number): LeaseReport {
  const { endedAtMs, ...told } = news;
  if (endedAtMs === null) return { ...rest, news: { ...told, endedAgoMs: null } };
  const gapMs = told.gapMs + Math.max(0, endedAtMs - now);
  return { ...rest, news: { ...told, gapMs, endedAgoMs: Math.max(0, now - endedAtMs) } };
}
