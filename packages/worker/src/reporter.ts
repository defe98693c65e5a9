import type {
  Clock,
  CoordinatorLink,
  HostNews,
  LeaseId,
  LeaseReport,
  ReportAnswer,
} from '@webfarer/protocol';
import type { Saver } from './save/saver.ts';
import type { StorageGate } from './storage-gate.ts';

/** A report before it is sent: the age of the last request is worked out at the moment of sending. */
export interface PendingReport extends Omit<LeaseReport, 'news'> {
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
  /** Called after each batch: new work may be due. */
  committed: (accepted: number) => void;
}

interface Waiting {
  report: PendingReport;
  resolve: (answer: ReportAnswer) => void;
  reject: (error: unknown) => void;
}

/** More than this in one batch would hold the store too long. */
const MAX_BATCH = 500;

export function createReporter(options: ReporterOptions): Reporter {
  const queues = new Map<string, Waiting[]>();
  const sending = new Set<Promise<void>>();

  async function send(batch: Waiting[]): Promise<void> {
    const answers = await options.storage.attempt(async () => {
      await Promise.all([...options.savers()].map((saver) => saver.sync()));
      const now = options.clock.now();
      return await options.link.report(batch.map(({ report }) => stamped(report, now)));
    });
    let accepted = 0;
    for (const [i, waiting] of batch.entries()) {
      const answer = answers[i] ?? { ok: false };
      if (answer.ok) accepted += answer.accepted;
      waiting.resolve(answer);
    }
    options.committed(accepted);
  }

  async function pump(part: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH);
      try {
        await send(batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    queues.delete(part);
  }

  /** One turn of the loop later, so that reports of the same moment share a batch. */
  function begin(part: string): Waiting[] {
    const queue: Waiting[] = [];
    queues.set(part, queue);
    const sent = Promise.resolve()
      .then(() => pump(part, queue))
      .finally(() => sending.delete(sent));
    sending.add(sent);
    return queue;
  }

  return {
    add(report) {
      const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
      const part = partOf(report.id);
      (queues.get(part) ?? begin(part)).push({ report, resolve, reject });
      return promise;
    },
    async drain() {
      while (sending.size > 0) await Promise.all(sending);
    },
    get waiting() {
      return [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
    },
  };
}

function partOf(id: LeaseId): string {
  return id.slice(0, Math.max(0, id.indexOf('.')));
}

function stamped({ news, ...rest }: PendingReport, now: number): LeaseReport {
  const { endedAtMs, ...told } = news;
  return { ...rest, news: { ...told, endedAgoMs: endedAtMs === null ? null : Math.max(0, now - endedAtMs) } };
}
