import type { Clock } from '@webfarer/protocol';
import type { Account, Use } from '../shares/account.ts';

/** Who pays for a turn. */
export interface Payer {
  account: Account;
  host: string;
}

/**
 * Lets so many through at a time. Of those that wait, the next is one of the team that has used the least lately, then of
 * the crawl, then of the host. One that takes long does not keep others waiting: it is ended and starts over later.
 */
export interface FairTurnstile {
  /** `work` runs again after it was ended; what it answers then is dropped. */
  run<T>(payer: Payer, work: (ended: AbortSignal) => Promise<T>): Promise<T>;
}

export interface FairTurnstileOptions {
  atOnce: number;
  clock: Clock;
  /** What a turn may last, in any case, while others wait. */
  sliceMs: number;
}

interface Task {
  /** Team, crawl and host, in the order in which they share. */
  uses: readonly [Use, Use, Use];
  sliceMs: number;
  startedMs: number;
  begin: () => void;
  end: AbortController;
}

/** Each time a task is ended it may run longer the next time, up to so many slices. */
const mostSlices = 4;

export function createFairTurnstile({ atOnce, clock, sliceMs }: FairTurnstileOptions): FairTurnstile {
  const waiting: Task[] = [];
  /** The oldest first. It is never ended, so that however much waits, something gets done. */
  const running: Task[] = [];
  let alarm: AbortController | undefined;

  /** With what is being used now. */
  function usedBy(use: Use, level: number, nowMs: number): number {
    let ms = use.at(nowMs);
    for (const task of running) if (task.uses[level] === use) ms += nowMs - task.startedMs;
    return ms;
  }

  /** Below 0: the first deserves a turn more. */
  function compare(one: Task, other: Task, nowMs: number): number {
    for (const [level, use] of one.uses.entries()) {
      const against = other.uses[level] as Use;
      if (use !== against) return usedBy(use, level, nowMs) - usedBy(against, level, nowMs);
    }
    return 0;
  }

  function nextOf(tasks: readonly Task[], nowMs: number): Task | undefined {
    let best: Task | undefined;
    for (const task of tasks) if (!best || compare(task, best, nowMs) < 0) best = task;
    return best;
  }

  function admit(): void {
    while (running.length < atOnce) {
      const next = nextOf(waiting, clock.now());
      if (!next) break;
      waiting.splice(waiting.indexOf(next), 1);
      begin(next);
    }
    review();
  }

  function begin(task: Task): void {
    task.startedMs = clock.now();
    task.end = new AbortController();
    running.push(task);
    task.begin();
  }

  /** Ends a turn that has lasted long enough, where one that deserves it more waits for it. */
  function review(): void {
    alarm?.abort();
    alarm = undefined;
    const nowMs = clock.now();
    const next = nextOf(waiting, nowMs);
    if (!next || running.some(({ end }) => end.signal.aborted)) return;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const task of running.slice(1)) {
      // Another team does not wait for what the tasks of this one are worth to each other.
      const mostMs = task.uses[0] === next.uses[0] ? task.sliceMs : sliceMs;
      const leftMs = task.startedMs + mostMs - nowMs;
      if (leftMs <= 0 && compare(next, task, nowMs) < 0) return task.end.abort();
      waitMs = Math.min(waitMs, Math.max(leftMs, sliceMs / 4));
    }
    if (waitMs === Number.POSITIVE_INFINITY) return;
    alarm = new AbortController();
    void clock.sleep(waitMs, alarm.signal).then(review, () => undefined);
  }

  function leave(task: Task): void {
    const nowMs = clock.now();
    running.splice(running.indexOf(task), 1);
    for (const use of task.uses) use.add(nowMs - task.startedMs, nowMs);
    admit();
  }

  async function turnOf(task: Task): Promise<AbortSignal> {
    await new Promise<void>((resolve) => {
      task.begin = resolve;
      waiting.push(task);
      admit();
    });
    return task.end.signal;
  }

  return {
    async run({ account, host }, work) {
      const task: Task = {
        uses: [account.team, account.crawl, account.host(host)],
        sliceMs,
        startedMs: 0,
        begin: () => undefined,
        end: new AbortController(),
      };
      for (;;) {
        const ended = await turnOf(task);
        try {
          const answer = await work(ended);
          if (!ended.aborted) return answer;
        } finally {
          leave(task);
        }
        task.sliceMs = Math.min(task.sliceMs * 2, sliceMs * mostSlices);
      }
    },
  };
}
