import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Balance, DatedClock } from '@webfarer/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { manifestFile, newManifest, readManifest } from '../folder/manifest.ts';
import { createSessionFile } from './session-file.ts';

/** How long it waits before each save of a crawl with this many seeds. */
async function waitsWith(seeds: number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ended = new AbortController();
  const waits: number[] = [];
  const clock = {
    now: () => 1_000,
    // The machine was suspended for a while.
    wall: () => 30_000_000,
    sleep: async (ms: number) => {
      waits.push(ms);
      if (waits.length === 3) ended.abort();
    },
  } as DatedClock;
  const urls = Array.from({ length: seeds }, (_, n) => `https://example.org/${n}/${'x'.repeat(200)}`);
  const about = { webfarer: '0', name: 'a', job: {}, baseFolder: '/', userAgent: 'a', nowMs: 0 };
  const manifest = newManifest({ ...about, seeds: urls });
  const file = createSessionFile({
    manifest,
    file: manifestFile(folder, manifest),
    clock,
    now: () => ({ state: 'paused', elapsedMs: 7, limitedBy: undefined, stall: undefined }),
    balance: async () => ({ known: seeds }) as unknown as Balance,
  });
  await file.keep(ended.signal);
  expect((await readManifest(folder))?.session).toMatchObject({
    state: 'paused',
    elapsedMs: 7,
    updatedAtMs: 30_000_000,
  });
  return waits;
}

it('saves where a crawl stands every five seconds, and one with many seeds less often', async () => {
  expect(await waitsWith(1)).toEqual([5_000, 5_000, 5_000]);
  expect(await waitsWith(2_000)).toEqual([5_000, 25_000, 25_000]);
  expect(await waitsWith(20_000)).toEqual([5_000, 60_000, 60_000]);
});
