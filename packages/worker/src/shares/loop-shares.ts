import type { Account } from './account.ts';
import { type Block, type BlockWatchOptions, createBlockWatch } from './block-watch.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Handling } from './handling.ts';

/** The main thread of a process, which all its crawls share. What it computes for a page is charged to crawl and team. */
export interface LoopShares {
  /** From now on pages of this crawl are handled here. `blocked` hears of each that held up everything else for a second. */
  join(account: Account, blocked: (block: Block) => void): void;
  leave(account: Account): void;
  /** Before a page is handled; undefined: at once. A crawl that is alone never waits. */
  turn(account: Account): Promise<void> | undefined;
  /** Computes, until it is done or waits for something: what it computes after that is not seen. */
  run<T>(handling: Handling, work: () => T): T;
  /** The same for user code. Where it blocks after it waited, that is seen if no other crawl has such code under way. */
  runOwn<T>(handling: Handling, work: () => Promise<T>): Promise<T>;
  /** What is computed on at this moment; undefined: nothing, or something that is not charged. */
  readonly current: Handling | undefined;
  /** In the next turn of the loop. Until the one after that, what is computed is charged to it. */
  resume(handling: Handling): Promise<void>;
  /** Undefined: nobody does. */
  follow(follower: LoopFollower | undefined): void;
}

/** Is told what is computed on before that begins: it may never end. */
export interface LoopFollower {
  begins(handling: Handling): void;
  ends(): void;
}

export interface LoopSharesOptions extends Omit<BlockWatchOptions, 'blocked'> {
  /** Calls it when everything else that waits for the loop has had its turn, in the order in which it is asked. */
  later: (then: () => void) => void;
}

/** Milliseconds in one turn of the loop. Others wait no longer than that anyway: most pages take less. */
const unnoticedMs = 5;

export function createLoopShares({ nowMs, cpuMs, later, every }: LoopSharesOptions): LoopShares {
  const members = new Map<Account, (block: Block) => void>();
  const queue = createFairQueue<() => void>();
  const watch = createBlockWatch({
    nowMs,
    cpuMs,
    every,
    blocked: (account, block) => members.get(account)?.(block),
  });
  let current: Handling | undefined;
  let isRunning = false;
  let beganMs = 0;
  /** In this turn of the loop. */
  let spentMs = 0;
  let isTurning = false;
  let follower: LoopFollower | undefined;

  function begin(handling: Handling): void {
    current = handling;
    follower?.begins(handling);
    beganMs = nowMs();
  }

  function end(): void {
    if (!current) return;
    const handling = current;
    const ms = nowMs() - beganMs;
    current = undefined;
    follower?.ends();
    queue.charge(handling.account.loop, ms);
    watch.computed(handling, ms);
    // Alone it keeps nobody waiting.
    if (members.size < 2) return;
    spentMs += ms;
    turnLater();
  }

  function turnLater(): void {
    if (isTurning) return;
    isTurning = true;
    later(nextTurn);
  }

  /** One page, then everything else that waits for the loop: what comes with it may go first. */
  function nextTurn(): void {
    isTurning = false;
    spentMs = 0;
    queue.take()?.();
    if (queue.size > 0) turnLater();
  }

  function run<T>(handling: Handling, work: () => T): T {
    // Within what is charged already.
    if (isRunning) return work();
    end();
    isRunning = true;
    begin(handling);
    try {
      return work();
    } finally {
      isRunning = false;
      end();
    }
  }

  return {
    join(account, blocked) {
      members.set(account, blocked);
      if (members.size === 1) watch.start();
    },
    leave(account) {
      if (members.delete(account) && members.size === 0) watch.stop();
    },
    turn({ loop }) {
      if (queue.size === 0 && spentMs < unnoticedMs) {
        queue.pass(loop);
        return undefined;
      }
      return new Promise((resolve) => {
        queue.add(loop, resolve);
        turnLater();
      });
    },
    run,
    runOwn: (handling, work) => watch.during(handling, () => run(handling, work)),
    get current() {
      return current;
    },
    resume: (handling) =>
      new Promise((resolve) => {
        later(() => {
          begin(handling);
          resolve();
        });
        later(end);
      }),
    follow(next) {
      follower = next;
    },
  };
}
