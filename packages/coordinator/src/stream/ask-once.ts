import type { Clock } from '@webfarer/protocol';

/** One question at a time, and one answer for all who ask while it is fresh; an error is for those who waited for it, and is not kept. */
export function askOnce<T>(clock: Clock, freshMs: number, ask: () => Promise<T>): () => Promise<T> {
  let latest: { answer: Promise<T>; atMs: number } | undefined;
  return () => {
    if (latest && clock.now() - latest.atMs < freshMs) return latest.answer;
    const mine = { answer: ask(), atMs: clock.now() };
    latest = mine;
    mine.answer.catch(() => {
      if (latest === mine) latest = undefined;
    });
    return mine.answer;
  };
}
