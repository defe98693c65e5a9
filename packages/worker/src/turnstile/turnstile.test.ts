import { describe, expect, it } from 'vitest';
import { createTurnstile } from './turnstile.ts';

describe('a turnstile', () => {
  it('lets one through at a time, in order, whatever became of the one before', async () => {
    const turnstile = createTurnstile(1);
    const seen: string[] = [];
    let inside = 0;
    let most = 0;
    const pass = (name: string, fails = false): Promise<void> =>
      turnstile.run(async () => {
        most = Math.max(most, ++inside);
        await Promise.resolve();
        seen.push(name);
        inside -= 1;
        if (fails) throw new Error(name);
      });
    const ends = await Promise.allSettled([pass('a'), pass('b', true), pass('c')]);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(most).toBe(1);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
