import { allOver, isOver } from '@webfarer/protocol/crawl';
import type { CrawlId, WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { createAddressTurns } from '../egress/turns.ts';
import { closeCrawl, openCrawl, type OpenCrawlOptions, type WorkerCrawl } from './open-crawl.ts';

export interface WorkerCrawlsOptions extends Omit<OpenCrawlOptions, 'turns'> {
  /** Nothing of that crawl may be in flight any more. */
  leave: (crawl: CrawlId) => Promise<void>;
}

/** The crawls a worker takes part in. */
export interface WorkerCrawls {
  /** Whether some of these are other revisions of crawls that are open here. */
  differ(crawls: readonly LinkCrawl[]): boolean;
  /**
   * Opens those that are new, and anew those of another revision, on which nobody may work meanwhile; closes those
   * that are over or gone. Throws where this machine cannot work on one.
   */
  adopt(crawls: readonly LinkCrawl[]): Promise<void>;
  /** Closes one, which is opened again when a coordinator tells of it again. */
  close(crawl: CrawlId): Promise<void>;
  /** Closes those of these crawls that are open, and erases what is kept of all of them: they were deleted. */
  erase(nonces: readonly string[]): Promise<void>;
  get(crawl: CrawlId): WorkerCrawl | undefined;
  all(): WorkerCrawl[];
  /** Known, and every one of them over. */
  readonly over: boolean;
  /** What was saved of each crawl, also of those that are closed. */
  written(): WorkerLook['written'];
  saveCookies(): Promise<void>;
  closeAll(): Promise<void>;
}

export function createWorkerCrawls(options: WorkerCrawlsOptions): WorkerCrawls {
  const open = new Map<CrawlId, WorkerCrawl>();
  const closed = new Map<CrawlId, Written>();
  const turns = createAddressTurns();
  let told: readonly LinkCrawl[] = [];
  let turn: Promise<void> = Promise.resolve();

  /** One after the other: two lists may come while the first is being adopted. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    turn = turn.catch(() => undefined).then(work);
    return turn;
  }

  async function adopt(crawls: readonly LinkCrawl[]): Promise<void> {
    told = crawls;
    const named = new Set(crawls.map(({ id }) => id));
    for (const id of [...open.keys()].filter((one) => !named.has(one))) {
      await close(id);
      closed.delete(id);
    }
    for (const about of crawls) {
      const known = open.get(about.id);
      if (known && !isOther(about)) known.about = about;
      if (known && (isOther(about) || isOver(about))) await close(about.id);
      if (!open.has(about.id) && isWorkable(about))
        open.set(about.id, await openCrawl(about, { ...options, turns }));
    }
  }

  async function close(id: CrawlId): Promise<void> {
    const crawl = open.get(id);
    if (!crawl) return;
    await options.leave(id);
    open.delete(id);
    await closeCrawl(crawl);
    closed.set(id, writtenBy(crawl));
  }

  async function erase(nonces: readonly string[]): Promise<void> {
    const deleted = new Set(nonces);
    for (const { about } of [...open.values()].filter((one) => deleted.has(one.about.nonce))) {
      await close(about.id);
      closed.delete(about.id);
    }
    for (const nonce of deleted) await options.folders.erase(nonce);
  }

  function isOther({ id, revision }: LinkCrawl): boolean {
    const known = open.get(id);
    return known !== undefined && known.about.revision !== revision;
  }

  async function saveCookies(): Promise<void> {
    for (const { cookies } of open.values()) await cookies?.save().catch(() => undefined);
  }

  return {
    differ: (crawls) => crawls.some((about) => isOther(about) && !isOver(about)),
    adopt: (crawls) => inTurn(() => adopt(crawls)),
    close: (id) => inTurn(() => close(id)),
    erase: (nonces) => inTurn(() => erase(nonces)),
    get: (crawl) => open.get(crawl),
    all: () => [...open.values()],
    get over() {
      return allOver(told);
    },
    written() {
      const now = new Map(closed);
      for (const [id, crawl] of open) now.set(id, writtenBy(crawl));
      return Array.from(now, ([crawl, sum]) => ({ crawl, ...sum, open: open.has(crawl) }));
    },
    saveCookies,
    closeAll: () =>
      inTurn(async () => {
        for (const id of open.keys()) await close(id);
      }),
  };
}

interface Written {
  files: number;
  bytes: number;
}

function writtenBy({ context }: WorkerCrawl): Written {
  const sum = { files: 0, bytes: 0 };
  for (const saver of context.savers) {
    const { files, bytes } = saver.written();
    sum.files += files;
    sum.bytes += bytes;
  }
  return sum;
}

/** One that was stopped is not opened before it is resumed. */
function isWorkable({ state }: LinkCrawl): boolean {
  return state === 'running' || state === 'paused';
}
