import { listenable } from '../../../events/listeners.ts';
import { isStorageTrouble, type Pause } from '@webfarer/protocol';
import type { Context } from '../context/context.ts';
import { isGone, type StoredCrawl } from '../context/stored-crawl.ts';
import { createDrainer, type DrainOptions } from './drainer.ts';
import { longBacklogs } from './long-backlogs.ts';
import { fullMemory } from './memory.ts';

export interface BacklogOptions {
  /** Results of a group that stay in the store: beyond that they are written to files. */
  results: number;
  /** Absent: this process writes none. */
  drain?: DrainOptions | undefined;
  /** For tests: never by itself. */
  onlyWhenAsked?: boolean;
}

/**
 * Results that wait in the store. What is beyond the backlog goes to files; while far more wait than should, or the
 * memory of a shard runs out, nothing new is leased there (F11, F12).
 */
export interface Backlog {
  /** Looks how much waits and writes what is beyond the backlog; answers how many results left the store. */
  drain(): Promise<number>;
  /** The same by itself, unless it is under way. Throws what went wrong before, if that was a fault of ours. */
  kick(): void;
  /** Nothing of a crawl is leased from a group. */
  isFull(c: string, group: number): boolean;
  anyFull(): boolean;
  /** Whether much of a crawl that this process has opened waits, or nobody has looked since that time. */
  mayBeLong(c: string, sinceMs: number): boolean;
  /** Told why nothing is leased in some part of the store, or that this is over. Answers how to stop listening. */
  onChange(listener: (pause: Pause | undefined) => void): () => void;
  /** Ends what is under way. */
  stop(): Promise<void>;
}

/** So many backlogs in a group mean that nobody drains, or not fast enough. */
const stopAt = 10;
/** Groups written at once. */
const atOnce = 4;
/** Pause between two looks while there is much to write. */
const busyMs = 500;
/** Looks in a row. */
const passes = 3;
/** How long somebody who closes waits for what is being written. */
const stopMs = 3_000;

export function createBacklog(
  context: Context,
  { results, drain, onlyWhenAsked = false }: BacklogOptions,
): Backlog {
  const drainer = drain && createDrainer(context, drain);
  const listeners = new Set<(pause: Pause | undefined) => void>();
  const lengths = longBacklogs(context, { results });
  /** Groups with far too much, by crawl. */
  let full = new Map<string, Set<number>>();
  /** Why a shard takes no more, by its number. */
  let tight = new Map<number, string>();
  let waiting = 0;
  let trouble: string | undefined;
  /** Of what was told last. */
  let cause: string | undefined;
  let fault: unknown;
  let stopped = false;
  /** Ends the pause between two looks, and what would go on by itself. */
  let calm = new AbortController();
  let running: Promise<unknown> | undefined;

  async function look(): Promise<{ crawl: StoredCrawl; group: number }[]> {
    const long = await lengths.find();
    const found = new Map<string, Set<number>>();
    waiting = 0;
    for (const { crawl, group, length } of long) {
      if (length < results * stopAt) continue;
      found.set(crawl.c, (found.get(crawl.c) ?? new Set()).add(group));
      waiting += length;
    }
    full = found;
    tight = await fullMemory(context);
    return beginningElsewhere(long, context.member);
  }

  /** Figures that change while the cause is the same are no news, nor is much while it is being written. */
  function tell(written = 0): void {
    const isStuck = tight.size > 0 || (anyFull() && written === 0);
    const next = isStuck ? `${[...tight.keys()].join(' ')} ${trouble ?? ''}` : undefined;
    if (next === cause) return;
    cause = next;
    for (const listener of listeners) listener(isStuck ? whyNot() : undefined);
  }

  function whyNot(): Pause {
    const [first] = tight.values();
    if (first !== undefined) return { cause: 'store-full', text: first };
    const stuck = trouble ?? (drainer ? 'another process has begun to' : 'nobody does');
    const text = `${waiting.toLocaleString('en-US')} results wait in the store to be written to files: ${stuck}`;
    return { cause: 'store-backlog', text };
  }

  async function write(long: { crawl: StoredCrawl; group: number }[]): Promise<number> {
    let written = 0;
    if (!drainer) return written;
    const open = [...long];
    const work = async () => {
      for (let next = open.pop(); next && !stopped; next = open.pop())
        written += await drainer(next.crawl, next.group, results);
    };
    const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, long.length) }, work));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    return written;
  }

  async function drainAll(): Promise<number> {
    let total = 0;
    // Others may bring more all the time.
    for (let pass = 0, again = true; again && pass < passes && !stopped; pass++) {
      const written = await write(await look());
      again = written > 0;
      total += written;
      trouble = undefined;
    }
    // Only what is still too much after all that could be written has been.
    tell(total);
    return total;
  }

  /** As long as there is something to write, more will come soon. */
  async function drainOn(): Promise<void> {
    const { signal } = calm;
    // A clock that cannot sleep belongs to a test, which looks again by itself.
    const pause = () =>
      context.clock.sleep(busyMs, signal).then(
        () => true,
        () => false,
      );
    for (let more = true; more && !signal.aborted; ) more = (await drainAll()) > 0 && (await pause());
  }

  /** A disk that is full or a store that is away: the next try may do. */
  function note(error: unknown): void {
    if (stopped) return;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) trouble = message;
    else if (!isStorageTrouble(error) && !isGone(error)) fault = error;
    tell();
  }

  const anyFull = () => tight.size + full.size > 0;

  return {
    async drain() {
      calm.abort();
      calm = new AbortController();
      while (running) await running;
      const mine = drainAll();
      running = mine.catch(() => undefined).finally(() => (running = undefined));
      return await mine;
    },
    kick() {
      if (fault !== undefined) throw fault;
      if (running || stopped || onlyWhenAsked) return;
      running = drainOn()
        .catch(note)
        .finally(() => (running = undefined));
    },
    isFull: (c, group) =>
      (full.get(c)?.has(group) ?? false) || (tight.size > 0 && tight.has(context.shards.numberOf(group))),
    anyFull,
    mayBeLong: lengths.mayBe,
    onChange: listenable(listeners),
    async stop() {
      stopped = true;
      calm.abort();
      // A store that is away is not waited for: what is cut off is claimed again.
      const enough = new AbortController();
      const late = context.clock.sleep(stopMs, enough.signal).catch(() => running);
      await Promise.race([running, late]);
      enough.abort();
    },
  };
}

/** Several processes look at the same groups: each begins at another one. */
function beginningElsewhere<T>(list: T[], member: string): T[] {
  let at = 0;
  for (const letter of member) at = (31 * at + letter.charCodeAt(0)) % Math.max(1, list.length);
  return [...list.slice(at), ...list.slice(0, at)];
}
