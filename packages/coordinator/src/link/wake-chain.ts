import type { Clock } from '@webfarer/protocol';
import type { Orders } from '@webfarer/protocol/link';

/** A worker that waits for something to be due. */
type Waiter = Pick<Orders, 'wake'>;

/**
 * Wakes those who went away hungry, the longest hungry first and one at a time: whoever finds all it wants has left
 * something for the next, who is woken then. So a thousand that wait cost no more than one while there is nothing.
 */
export interface WakeChain {
  hungry(who: Waiter): void;
  sated(who: Waiter): void;
  isHungry(who: Waiter): boolean;
  /** Whether anyone else is, or was just woken and has not asked yet. */
  anyBut(who: Waiter): boolean;
  /** There may be something for anyone but this one. */
  news(but?: Waiter): void;
}

/** News come with every report; more often than this they wake nobody. */
const EVERY_MS = 5;
/** Whoever was woken asks within this time, or has found something better to do. */
const EXPECTED_MS = 50;

export function createWakeChain(clock: Clock): WakeChain {
  /** In the order in which they became so. */
  const waiting = new Set<Waiter>();
  let wokenAtMs = Number.NEGATIVE_INFINITY;
  let woken: Waiter | undefined;
  let later: Promise<void> | undefined;

  function wakeOne(but: Waiter | undefined): void {
    for (const who of waiting) {
      if (who === but) continue;
      waiting.delete(who);
      woken = who;
      wokenAtMs = clock.now();
      return who.wake();
    }
  }

  function news(but?: Waiter): void {
    if (waiting.size === 0 || later) return;
    const early = wokenAtMs + EVERY_MS - clock.now();
    if (early <= 0) return wakeOne(but);
    later = clock.sleep(Math.ceil(early)).then(
      () => {
        later = undefined;
        wakeOne(but);
      },
      () => undefined,
    );
  }

  function asked(who: Waiter): void {
    waiting.delete(who);
    if (woken === who) woken = undefined;
  }

  return {
    news,
    hungry(who) {
      asked(who);
      waiting.add(who);
    },
    sated: asked,
    isHungry: (who) => waiting.has(who),
    anyBut(who) {
      const expected = woken !== undefined && woken !== who && clock.now() < wokenAtMs + EXPECTED_MS;
      return expected || waiting.size > (waiting.has(who) ? 1 : 0);
    },
  };
}
