import { randomBytes } from 'node:crypto';
import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { Member, Membership } from './membership.ts';

/** Seven renewals may fail before the others take a member for dead. */
export const memberTtlMs = 4_000;
const everyMs = 500;
/** While something changes the members look more often. */
const hurryMs = 250;
/** In a large network each looks less often, so that all together cost the store the same. */
const perMemberMs = 5;

export interface MembersOptions {
  membership: Membership;
  clock: Clock;
  /** What to say of oneself now. */
  self: () => Omit<Member, 'life'>;
  /** Called after every look. Answers whether there is something to hurry for. */
  seen: (members: readonly Member[]) => boolean;
  /** Another process uses the same id: this one takes no part any more. */
  replaced: () => void;
  failed: (error: unknown) => void;
}

/** Takes part: says that it is there, and looks who else is. */
export interface Members {
  /** Resolves when it is registered; while the store is away it goes on, and is registered when that is back. */
  start(): Promise<void>;
  /** As last seen; oneself is always among them once it is registered. */
  readonly all: readonly Member[];
  /** There is something to say or to hear at once. */
  hurry(): void;
  /** Leaves, and tells the others. */
  stop(): Promise<void>;
}

export function createMembers(options: MembersOptions): Members {
  const { membership, clock } = options;
  let life = '';
  let isRegistered = false;
  let all: readonly Member[] = [];
  let over = new AbortController();
  let kick = new AbortController();
  let hurried = false;
  let loop: Promise<void> | undefined;

  const self = (): Member => ({ ...options.self(), life });

  /** Every time it is another life: who was away for a while may have missed what the others agreed on. */
  async function register(): Promise<readonly Member[]> {
    life = randomBytes(6).toString('hex');
    isRegistered = false;
    const members = await membership.register(self());
    isRegistered = true;
    return members;
  }

  /** Until it is registered, what is there under its id is an earlier life of its own: nothing to be renewed. */
  async function renew(): Promise<readonly Member[] | 'replaced'> {
    if (!isRegistered) return await register();
    const renewal = await membership.renew(self());
    if (renewal.kind === 'gone') return await register();
    return renewal.kind === 'ok' ? renewal.members : 'replaced';
  }

  /** Answers how long to wait until the next look. */
  async function look(): Promise<number> {
    const members = await renew();
    if (members === 'replaced') {
      over.abort();
      options.replaced();
      return everyMs;
    }
    all = members;
    return options.seen(all) ? hurryMs : Math.max(everyMs, all.length * perMemberMs);
  }

  async function rest(ms: number): Promise<void> {
    kick = new AbortController();
    if (hurried) return;
    await clock.sleep(ms, AbortSignal.any([over.signal, kick.signal])).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      let waitMs = everyMs;
      hurried = false;
      try {
        waitMs = await look();
      } catch (error) {
        // The store is away: everybody goes on with what was last seen.
        if (!isStorageTrouble(error)) options.failed(error);
      }
      if (!over.signal.aborted) await rest(waitMs);
    }
  }

  return {
    get all() {
      return all;
    },
    hurry() {
      hurried = true;
      kick.abort();
    },
    async start() {
      if (loop) return;
      over = new AbortController();
      try {
        all = await register();
        options.seen(all);
      } catch (error) {
        if (!isStorageTrouble(error)) throw error;
      }
      loop = run();
    },
    async stop() {
      over.abort();
      await loop;
      if (loop) await membership.leave(self()).catch(() => undefined);
      loop = undefined;
    },
  };
}
