import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { minimise, mutate } from './mutate.ts';
import { randomFrom, seedOf } from './random.ts';
import { type Target, type TargetOptions, targets } from './target.ts';
import { watchTarget } from './watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('made-up input', () => {
  it('is the same for the same seed, and another for the next', () => {
    const make = (seed: number): string =>
      mutate(randomFrom(seedOf('x', seed)), Buffer.from('some text to start with'), [
        Buffer.from('word'),
      ]).toString('latin1');
    expect(make(1)).toBe(make(1));
    expect(new Set(Array.from({ length: 50 }, (_, seed) => make(seed))).size).toBeGreaterThan(40);
  });

  it.each(Object.keys(targets))('for %s is bounded, and read', async (name) => {
    const { open } = (await import(`./targets/${name}.ts`)) as {
      open(options: TargetOptions): Promise<Target>;
    };
    const target = await open({ corpora: process.env.WEBFARER_CORPORA, folder });
    try {
      for (let at = 0; at < 20; at += 1) {
        const input = target.make(randomFrom(seedOf(99, name, at)));
        expect(input.length).toBeLessThan(3_000_000);
        await target.run(input);
      }
    } finally {
      await target.close?.();
    }
  });
});

it('a failing input is made as small as it goes', async () => {
  const input = Buffer.from('a long text with a BUG somewhere in it');
  const smallest = await minimise(input, async (smaller) => smaller.includes('BUG'));
  expect(smallest.toString()).toBe('BUG');
});

it('a reader that throws, hangs, dies or dawdles is seen', async () => {
  const run = await watchTarget({
    target: 'faulty',
    seed: 1,
    count: 6,
    slowMs: 100,
    hangMs: 500,
    corpora: undefined,
    folder,
  });
  expect(run.inputs).toBe(6);
  expect(run.findings.map(({ at, kind }) => [at, kind])).toEqual([
    [0, 'crash'],
    [1, 'hang'],
    [2, 'crash'],
    [3, 'slow'],
  ]);
});
