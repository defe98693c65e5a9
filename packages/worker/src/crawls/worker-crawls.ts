import { allOver, isOver } from '@webfarer/protocol/crawl';
import { type CrawlId, WebfarerError, type WorkerLook } from '@webfarer/protocol';
import type { LoginUse } from '@webfarer/protocol/crawl';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { watchOwnDelay } from '../egress/own-delay.ts';
import { createAddressTurns } from '../egress/turns.ts';
import { closeCrawl, openCrawl, type OpenCrawlOptions, type WorkerCrawl } from './open-crawl.ts';

export interface WorkerCrawlsOptions extends Omit<OpenCrawlOptions, 'turns' | 'delay'> {
  /** Nothing of that crawl may be in flight any more. */
  leave: (crawl: CrawlId) => Promise<void>;
  /** What to do where none of its crawls can be opened: wait for others, or fail with the reason. */
  withoutAny: 'wait' | 'fail';
  /** This machine cannot work on a crawl. */
  unable: (crawl: LinkCrawl, error: unknown) => void;
}

/** The crawls a worker takes part in. */
export interface WorkerCrawls {
  /** Whether some of these are other revisions of crawls that are open here. */
  differ(crawls: readonly LinkCrawl[]): boolean;
  /**
   * Opens those that are new, and anew those of another revision, on which nobody may work meanwhile; closes those
   * that are over or gone. One that cannot be opened is left out, until its job changes or a while has passed.
   */
  adopt(crawls: readonly LinkCrawl[]): Promise<void>;
  /** Closes one, which is opened again when a coordinator tells of it again. */
  close(crawl: CrawlId): Promise<void>;
  /** Closes those of these crawls that are open, and erases what is kept of all of them: they were deleted. */
  erase(nonces: readonly string[]): Promise<void>;
  /** The work on one has failed for a reason of this machine or its job: leaves it out, likewise. */
  giveUp(crawl: CrawlId, error: unknown): Promise<void>;
  /** Those that are left out; undefined: none. */
  unable(): WorkerLook['unable'];
  /** Those that are left out are tried again at once: what they lacked may be there now. */
  retryNow(): void;
  /** The accounts that its crawls read pages with. */
  logins(): LoginUse[];
  /** Some of them are to be tried again. */
  retryDue(): boolean;
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
  const failures = new Map<CrawlId, Failure>();
  const turns = createAddressTurns();
  const delay = watchOwnDelay(options.clock);
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
      if (!open.has(about.id) && isWorkable(about)) await tryToOpen(about);
    }
    for (const id of failures.keys()) if (!named.has(id)) failures.delete(id);
    const [first] = failures.values();
    if (first && options.withoutAny === 'fail' && open.size === 0) throw first.error;
  }

  async function tryToOpen(about: LinkCrawl): Promise<void> {
    const failure = failures.get(about.id);
    if (failure?.revision === about.revision && options.clock.now() < failure.againAtMs) return;
    try {
      open.set(about.id, await openCrawl(about, { ...options, turns, delay: delay.start() }));
      failures.delete(about.id);
    } catch (error) {
      fail(about, error);
    }
  }

  function fail(about: LinkCrawl, error: unknown): void {
    const isNews = failures.get(about.id)?.message !== messageOf(error);
    failures.set(about.id, {
      revision: about.revision,
      error,
      message: messageOf(error),
      againAtMs: options.clock.now() + AGAIN_MS,
    });
    if (isNews) options.unable(about, error);
  }

  async function giveUp(id: CrawlId, error: unknown): Promise<void> {
    const crawl = open.get(id);
    if (!crawl) return;
    fail(crawl.about, error);
    await close(id);
  }

  async function close(id: CrawlId): Promise<void> {
    const crawl = open.get(id);
    if (!crawl) return;
    await options.leave(id);
    open.delete(id);
    try {
      await closeCrawl(crawl);
    } catch (error) {
      if (options.withoutAny === 'fail') throw error;
      fail(crawl.about, error);
    }
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

  const isOther = (about: LinkCrawl) => isAnother(about, open.get(about.id)?.about);

  async function saveCookies(): Promise<void> {
    for (const { cookies, context } of open.values()) {
      await cookies?.save().catch(() => undefined);
      await context.logins?.save().catch(() => undefined);
    }
  }

  return {
    differ: (crawls) => crawls.some((about) => isOther(about) && !isOver(about)),
    adopt: (crawls) => inTurn(() => adopt(crawls)),
    close: (id) => inTurn(() => close(id)),
    giveUp: (id, error) => inTurn(() => giveUp(id, error)),
    unable() {
      if (failures.size === 0) return undefined;
      return Array.from(failures, ([crawl, { error, message }]) => ({ crawl, code: codeOf(error), message }));
    },
    retryNow() {
      for (const failure of failures.values()) failure.againAtMs = 0;
    },
    logins: () =>
      Array.from(open.values()).flatMap(({ about, context }) =>
        (context.logins?.every() ?? []).map((login) => ({ crawl: about.id, ...login.use() })),
      ),
    retryDue: () => [...failures.values()].some(({ againAtMs }) => options.clock.now() >= againAtMs),
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
        delay.stop();
      }),
  };
}

/** Secrets that are withheld may change under an open crawl; those in the job cannot. */
function isAnother(
  { revision, secrets, withheld = false }: LinkCrawl,
  known: LinkCrawl | undefined,
): boolean {
  if (!known) return false;
  return known.revision !== revision || (!withheld && known.secrets !== secrets);
}

interface Failure {
  revision: string;
  error: unknown;
  message: string;
  againAtMs: number;
}

/** How soon a crawl that cannot be opened is tried again, whether or not its job has changed. */
const AGAIN_MS = 60_000;
/** Of an error, as it is shown. */
const MESSAGE_CHARS = 1_000;

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_CHARS);
}

function codeOf(error: unknown): string {
  return error instanceof WebfarerError ? error.code : 'internal';
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
