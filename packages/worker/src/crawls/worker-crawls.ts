import { isOver } from '@webfarer/protocol/crawl';
import type { CrawlId, WorkerLook } from '@webfarer/protocol';
import type { LoginUse } from '@webfarer/protocol/crawl';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { watchOwnDelay } from '../egress/own-delay.ts';
import { createAddressTurns } from '../egress/turns.ts';
import { storageError } from '../disk/storage-error.ts';
import { createClosedCrawls, type Written } from './closed-crawls.ts';
import { createCrawlTurns } from './crawl-turns.ts';
import { createLeftOut } from './left-out.ts';
import { closeCrawl, openCrawl, type OpenCrawlOptions, type WorkerCrawl } from './open-crawl.ts';

export interface WorkerCrawlsOptions extends Omit<OpenCrawlOptions, 'turns' | 'delay'> {
  /** Nothing of that crawl may be in flight any more. */
  leave: (crawl: CrawlId) => Promise<void>;
  /** What to do where none of its crawls can be opened: wait for others, or fail with the reason. */
  withoutAny: 'wait' | 'fail';
  /** This machine cannot work on a crawl. */
  unable: (crawl: LinkCrawl, error: unknown) => void;
  /** Throws where a crawl cannot be worked on now, before it is opened. */
  check: (crawl: LinkCrawl) => Promise<void>;
  /** One that took long to open is open, or is left out. */
  changed: () => void;
}

/** Crawls that are not in a list any more, and why. */
export interface LeftCrawls {
  gone: readonly CrawlId[];
  /** More of them may come. */
  resting: readonly CrawlId[];
}

const nothingLeft: LeftCrawls = { gone: [], resting: [] };

/** The crawls a worker takes part in. */
export interface WorkerCrawls {
  /** Whether pages of it may be begun: not of one that is to be opened anew, or closed. */
  mayBegin(crawl: CrawlId): boolean;
  /**
   * Opens those that are new, and anew those of another revision; closes those that are over or gone. One that cannot be
   * opened is left out, until its job changes or a while has passed, and one that takes long is waited for no longer than
   * a moment: neither holds up the others.
   */
  adopt(crawls: readonly LinkCrawl[], left?: LeftCrawls): Promise<void>;
  /** Resolves when it is open or cannot be opened; undefined: nothing is being done about it. */
  opening(crawl: CrawlId): Promise<void> | undefined;
  /** Closes one, which is opened again when a coordinator tells of it again. */
  close(crawl: CrawlId): Promise<void>;
  /** Closes those of these crawls that are open, and erases what is kept of all of them: they were deleted. */
  erase(nonces: readonly string[]): Promise<void>;
  /** The work on one has failed for a reason of this machine or its job: leaves it out, likewise. */
  giveUp(crawl: CrawlId, error: unknown, forMs?: number): Promise<void>;
  /** Those that are left out; undefined: none. */
  unable(): WorkerLook['unable'];
  /** Those that it should work on and that are not open, because they are left out or take long to open; undefined: none. */
  absent(): readonly CrawlId[] | undefined;
  /** Those that are left out are tried again at once: what they lacked may be there now. */
  retryNow(): void;
  /** The accounts that its crawls read pages with. */
  logins(): LoginUse[];
  /** Some of them are to be tried again. */
  retryDue(): boolean;
  get(crawl: CrawlId): WorkerCrawl | undefined;
  all(): WorkerCrawl[];
  /** What was saved of each crawl, also of those that are closed. */
  written(): WorkerLook['written'];
  saveCookies(): Promise<void>;
  closeAll(): Promise<void>;
}

export function createWorkerCrawls(options: WorkerCrawlsOptions): WorkerCrawls {
  const open = new Map<CrawlId, WorkerCrawl>();
  const closed = createClosedCrawls();
  const leftOut = createLeftOut({ clock: options.clock, unable: options.unable });
  const inOrder = createCrawlTurns();
  const turns = createAddressTurns();
  const delay = watchOwnDelay(options.clock);
  let told: readonly LinkCrawl[] = [];
  const adopting = new Map<CrawlId, { about: LinkCrawl; done: Promise<void> }>();

  const closeInTurn = (id: CrawlId) => inOrder.leave(id, () => close(id));

  async function adopt(crawls: readonly LinkCrawl[], left = nothingLeft): Promise<void> {
    told = crawls;
    leftOut.keep(crawls);
    const named = new Set(crawls.map(({ id }) => id));
    left.gone.forEach(closed.forget);
    closed.rest(left.resting);
    closed.wake(named);
    const gone = known().filter((id) => !named.has(id));
    const all = Promise.all([...gone.map(leave), ...crawls.map(adoptOne)]);
    if (options.withoutAny === 'wait') return await momentOf(all, options);
    await all;
    const first = leftOut.first();
    if (first && open.size === 0) throw first.error;
  }

  const known = () => [...new Set([...open.keys(), ...inOrder.busy()])];

  async function forget(id: CrawlId): Promise<void> {
    await closeInTurn(id);
    closed.forget(id);
  }

  const leave = (id: CrawlId) => (closed.isResting(id) ? closeInTurn(id) : forget(id));

  /** Once for each thing that is told of it. */
  function adoptOne(about: LinkCrawl): Promise<void> {
    const { id } = about;
    const begun = adopting.get(id);
    if (begun?.about === about) return begun.done;
    const crawl = open.get(id);
    if (crawl && !isOther(about)) crawl.about = about;
    const goes = isOther(about) || isOver(about);
    const over = () => adopting.get(id)?.about === about && adopting.delete(id);
    const done = (goes ? inOrder.leave : inOrder.take)(id, () => follow(about)).finally(over);
    adopting.set(id, { about, done });
    return done;
  }

  async function follow(about: LinkCrawl): Promise<void> {
    // A later list may have come while this one waited.
    if (!told.includes(about)) return;
    if (isOther(about) || isOver(about)) await close(about.id);
    if (!open.has(about.id) && isWorkable(about)) await tryToOpen(about);
  }

  async function tryToOpen(about: LinkCrawl): Promise<void> {
    if (!leftOut.mayTry(about)) return;
    try {
      await options.check(about);
      open.set(about.id, await openCrawl(about, { ...options, turns, delay: delay.start() }));
      leftOut.opened(about);
    } catch (error) {
      // A folder that cannot be made is no fault of ours.
      leftOut.add(about, storageError(error, `cannot open ${about.job.name} on this machine`));
    }
  }

  async function giveUp(id: CrawlId, error: unknown, forMs?: number): Promise<void> {
    const crawl = open.get(id);
    if (!crawl) return;
    leftOut.add(crawl.about, error, forMs);
    await closeInTurn(id);
  }

  async function close(id: CrawlId): Promise<void> {
    const crawl = open.get(id);
    if (!crawl) return;
    await options.leave(id);
    open.delete(id);
    // Known all the time: whoever asks while it is closed must not hear of nothing.
    closed.keep(id, writtenBy(crawl));
    try {
      await closeCrawl(crawl);
    } catch (error) {
      if (options.withoutAny === 'fail') throw error;
      leftOut.add(crawl.about, error);
    }
    closed.keep(id, writtenBy(crawl));
  }

  async function erase(nonces: readonly string[]): Promise<void> {
    await Promise.all(
      nonces.map(async (nonce) => {
        for (const id of idsOf(nonce, [...open.values(), ...adopting.values()])) await forget(id);
        await options.folders.erase(nonce).catch(() => undefined);
      }),
    );
  }

  const isOther = (about: LinkCrawl) => isAnother(about, open.get(about.id)?.about);

  async function saveCookies(): Promise<void> {
    for (const { cookies, context } of open.values()) {
      await cookies?.save().catch(() => undefined);
      await context.logins?.save().catch(() => undefined);
    }
  }

  return {
    mayBegin: (id) => open.has(id) && !inOrder.isLeaving(id),
    adopt,
    opening: (id) => adopting.get(id)?.done,
    close: closeInTurn,
    giveUp,
    unable: leftOut.told,
    absent: () => absentFrom(open, told),
    retryNow: leftOut.retryNow,
    logins: () => [...open.values()].flatMap(loginsOf),
    retryDue: leftOut.isDue,
    erase,
    get: (crawl) => open.get(crawl),
    all: () => [...open.values()],
    written: () => closed.written(Array.from(open, ([id, crawl]) => [id, writtenBy(crawl)])),
    saveCookies,
    async closeAll() {
      told = [];
      await Promise.all(known().map(closeInTurn));
      delay.stop();
    },
  };
}

/** Crawls that are open, or being opened: then something may still be written to their folder. */
function idsOf(nonce: string, held: readonly { about: LinkCrawl }[]): CrawlId[] {
  const found = held.filter(({ about }) => about.nonce === nonce);
  return [...new Set(found.map(({ about }) => about.id))];
}

/** Secrets that are withheld may change under an open crawl; those in the job cannot. */
function isAnother(
  { revision, secrets, withheld = false }: LinkCrawl,
  known: LinkCrawl | undefined,
): boolean {
  if (!known) return false;
  return known.revision !== revision || (!withheld && known.secrets !== secrets);
}

/** Until all is done, or long enough that others should not wait for it. */
async function momentOf(
  all: Promise<unknown>,
  { clock, changed }: Pick<WorkerCrawlsOptions, 'clock' | 'changed'>,
): Promise<void> {
  const over = new AbortController();
  let isLate = false;
  const done = all.then(() => {
    over.abort();
    if (isLate) changed();
  });
  await Promise.race([done, clock.sleep(MOMENT_MS, over.signal).catch(() => undefined)]);
  isLate = true;
}

/** Longer than opening a crawl usually takes, where what it needs answers. Nothing is asked for one that takes longer until it is open. */
const MOMENT_MS = 500;

function absentFrom(
  open: ReadonlyMap<CrawlId, WorkerCrawl>,
  told: readonly LinkCrawl[],
): readonly CrawlId[] | undefined {
  const ids = told.flatMap((about) => (isWorkable(about) && !open.has(about.id) ? [about.id] : []));
  return ids.length > 0 ? ids : undefined;
}

function loginsOf({ about, context }: WorkerCrawl): LoginUse[] {
  return (context.logins?.every() ?? []).map((login) => ({ crawl: about.id, ...login.use() }));
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
