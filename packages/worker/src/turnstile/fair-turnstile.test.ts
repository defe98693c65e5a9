import type { Clock } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { type Account, openAccount } from '../shares/account.ts';
import { createFairTurnstile } from './fair-turnstile.ts';

/** Time that passes when it is told to, and lets what is due then happen. */
function steppedClock() {
  let nowMs = 1_000_000;
  const sleepers = new Set<{ atMs: number; wake: () => void }>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { atMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      }),
  };
  return {
    clock,
    async pass(ms: number): Promise<void> {
      const endMs = nowMs + ms;
      for (await settle(); ; await settle()) {
        const [next] = [...sleepers].sort((a, b) => a.atMs - b.atMs);
        if (!next || next.atMs > endMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        sleepers.delete(next);
        next.wake();
      }
      nowMs = endMs;
      await settle();
    },
  };
}

/** Two turns of 2 s; tasks that take as long as they say, and write down when they began and were done. */
function twoTurns() {
  const { clock, pass } = steppedClock();
  const turns = createFairTurnstile({ atOnce: 2, clock, sliceMs: 2_000 });
  const startMs = clock.now();
  const begun: string[] = [];
  const done = new Map<string, number>();
  const run = (name: string, takesMs: number, { account, host }: { account: Account; host: string }) =>
    turns
      .run({ account, host }, async (ended) => {
        begun.push(name);
        await clock.sleep(takesMs, ended).catch(() => undefined);
      })
      .then(() => void done.set(name, clock.now() - startMs));
  return { run, pass, begun, done };
}

describe('turns of a process', () => {
  it('go to the team that used the least, then to the crawl, then to the host', async () => {
    const { run, pass, begun } = twoTurns();
    const a1 = openAccount('order-a');
    const a2 = openAccount('order-a');
    const b = openAccount('order-b');
    void run('first', 500, { account: a1, host: 'x' });
    void run('second', 500, { account: a1, host: 'x' });
    void run('a1 x', 100, { account: a1, host: 'x' });
    void run('a1 y', 100, { account: a1, host: 'y' });
    void run('a2', 1_000, { account: a2, host: 'x' });
    void run('b', 1_000, { account: b, host: 'x' });
    await pass(5_000);
    expect(begun).toEqual(['first', 'second', 'b', 'a2', 'a1 y', 'a1 x']);
  });

  it('of one team are never all taken while another waits', async () => {
    const { run, pass, done } = twoTurns();
    const slow = openAccount('long-a');
    const quick = openAccount('long-b');
    for (let i = 0; i < 6; i++) void run(`slow ${i}`, 60_000, { account: slow, host: `${i}` });
    await pass(10_000);
    for (let i = 0; i < 8; i++) {
      void run(`quick ${i}`, 300, { account: quick, host: 'q' });
      await pass(3_000);
    }
    expect([...done.keys()]).toEqual(Array.from({ length: 8 }, (_, i) => `quick ${i}`));
  });

  it('of one crawl come back to a host beside hosts whose documents take long', async () => {
    const { run, pass, done } = twoTurns();
    const account = openAccount('hosts');
    for (let i = 0; i < 4; i++) void run(`slow ${i}`, 60_000, { account, host: `${i}` });
    await pass(1_000);
    for (let i = 0; i < 8; i++) {
      void run(`quick ${i}`, 300, { account, host: 'q' });
      await pass(8_500);
    }
    expect([...done.keys()].filter((name) => name.startsWith('quick'))).toHaveLength(8);
  });

  it('are given back by none that nobody else wants, and the oldest is always done', async () => {
    const { run, pass, done, begun } = twoTurns();
    const alone = openAccount('alone');
    for (let i = 0; i < 3; i++) void run(`${i}`, 30_000, { account: alone, host: 'x' });
    await pass(30_000);
    expect(begun).toEqual(['0', '1', '2']);
    const other = openAccount('alone-b');
    for (let i = 0; i < 40; i++) {
      for (const _ of '12') void run('other', 900, { account: other, host: 'y' });
      await pass(1_000);
    }
    expect(done.get('2')).toBe(60_000);
  });

  it('go on after work that failed', async () => {
    const turns = createFairTurnstile({ atOnce: 1, clock: steppedClock().clock, sliceMs: 2_000 });
    const payer = { account: openAccount('fails'), host: 'x' };
    await expect(turns.run(payer, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.run(payer, () => Promise.resolve('next'))).toBe('next');
  });
});
