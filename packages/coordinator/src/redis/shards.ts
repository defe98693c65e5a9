import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { GroupAnswer, GroupCall, GroupRunner } from './group-runner.ts';
import { groupTag } from './keys.ts';
import type { RedisStore } from './store.ts';

/** How long work waits for a primary: after another one has answered, or where no other was asked. */
const patience = { othersMs: 250, aloneMs: 1_000 };

/** Something to do at one primary, the one that holds the key. */
export interface ShardWork {
  key: string;
  work(): Promise<void>;
}

export interface ApartOptions {
  /** Calls to a primary that is away are not sent. */
  skipAway?: boolean;
  /** Told of answers that came when nobody waited for them any more. */
  late(call: GroupCall, answer: GroupAnswer): void;
}

/** For calls whose late answers change nothing for the caller. */
export const dropLate = (): void => undefined;

/**
 * Which primaries keep work waiting: whoever can do without them goes on (F10). The only primary of a store is
 * always waited for.
 */
export interface Shards {
  /** Whether the primary of a group keeps work waiting for longer than others do. */
  isAway(group: number): boolean;
  anyAway(): boolean;
  /** A number for the primary that holds a group now. */
  numberOf(group: number): number;
  /**
   * Does work at several primaries at once, none at those that are away, and does not wait for those that are
   * late: it goes on by itself. Answers the troubles of the store that were met in time.
   */
  together(parts: ShardWork[]): Promise<unknown[]>;
  /** Calls to any groups; undefined for those whose primary did not answer in time. */
  run(calls: GroupCall[], options: ApartOptions): Promise<(GroupAnswer | undefined)[]>;
}

interface ShardsOptions {
  store: RedisStore;
  clock: Clock;
  runner: GroupRunner;
  groups: number;
}

export function createShards({ store, clock, runner, groups }: ShardsOptions): Shards {
  /** How much work each primary keeps waiting. */
  const waiting = new Map<string, number>();
  const numbers = new Map<string, number>();
  const isAway = (key: string) => waiting.size > 0 && waiting.has(store.primaryOf(key));

  function numberOf(group: number): number {
    const address = store.primaryOf(groupTag(group));
    const number = numbers.get(address) ?? numbers.size;
    numbers.set(address, number);
    return number;
  }
  for (let group = 0; group < groups; group++) numberOf(group);

  function keepWaiting(address: string, done: Promise<void>): void {
    waiting.set(address, (waiting.get(address) ?? 0) + 1);
    const end = () => {
      const left = (waiting.get(address) ?? 1) - 1;
      if (left > 0) waiting.set(address, left);
      else waiting.delete(address);
    };
    done.then(end, end);
  }

  async function inTime(works: Promise<void>[]): Promise<void> {
    const all = Promise.allSettled(works);
    if (numbers.size === 1) return void (await all);
    const enough = new AbortController();
    const first = works.length > 1 ? Promise.any(works) : Promise.resolve();
    const ms = works.length > 1 ? patience.othersMs : patience.aloneMs;
    // A clock that cannot sleep belongs to a test in which nothing is late.
    const late = first.then(() => clock.sleep(ms, enough.signal)).catch(() => all);
    await Promise.race([all, late]);
    enough.abort();
  }

  async function together(parts: ShardWork[]): Promise<unknown[]> {
    const started = parts.map(({ key, work }) => ({ address: store.primaryOf(key), done: work() }));
    const open = new Set(started);
    const troubles: unknown[] = [];
    const ended = started.map((part) =>
      part.done.then(
        () => void open.delete(part),
        (error: unknown) => {
          open.delete(part);
          troubles.push(error);
          throw error;
        },
      ),
    );
    if (ended.length > 0) await inTime(ended);
    for (const { address, done } of open) keepWaiting(address, done);
    const fault = troubles.find((error) => !isStorageTrouble(error));
    if (fault !== undefined) throw fault;
    return [...troubles];
  }

  function byPrimary(calls: GroupCall[]): number[][] {
    const parts = new Map<string, number[]>();
    for (const [i, { group }] of calls.entries()) {
      const address = store.primaryOf(groupTag(group));
      const part = parts.get(address);
      if (part) part.push(i);
      else parts.set(address, [i]);
    }
    return [...parts.values()];
  }

  async function run(calls: GroupCall[], { skipAway = false, late }: ApartOptions) {
    const answers = Array<GroupAnswer | undefined>(calls.length).fill(undefined);
    let over = false;
    const works = byPrimary(calls).map((indexes) => {
      const own = indexes.map((i) => calls[i] as GroupCall);
      const work = async () => {
        for (const [n, answer] of (await runner.run(own)).entries()) {
          if (over) late(own[n] as GroupCall, answer);
          else answers[indexes[n] as number] = answer;
        }
      };
      return { key: groupTag(own[0]?.group ?? 0), work };
    });
    const sent = skipAway ? works.filter(({ key }) => !isAway(key)) : works;
    const troubles = await together(sent);
    over = true;
    // One primary in trouble is no error while others answer.
    if (sent.length > 0 && troubles.length === sent.length) throw troubles[0];
    return answers;
  }

  return {
    isAway: (group) => isAway(groupTag(group)),
    anyAway: () => waiting.size > 0,
    numberOf,
    together: (parts) => together(parts.filter(({ key }) => !isAway(key))),
    run,
  };
}
