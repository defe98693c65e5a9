import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { openParts } from '../coordinator.ts';
import { readFolder } from '../crawl/reading/folder-reader.ts';

/** What a folder explains is what its coordinator would. */
const servers = redisForFile();
let under: string;
beforeEach(() => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-folder-rules-'));
});
afterEach(() => rmSync(under, { recursive: true, force: true }));

const clock = systemClock();
const why = 'the owner of 127.0.0.1 opted out on 2026-11-16, recorded by ada: no';
const set = { by: 'ada', atMs: 1 };

it.each(['folder', 'store'] as const)(
  'shows opt-outs and rules of the %s of its coordinator',
  async (kept) => {
    const store =
      kept === 'store'
        ? { store: { url: (await servers()).url, durability: 'available' as const, insecure: false } }
        : {};
    const coordinator = await openParts({ folder: under, version: '0', id: 'a', clock, ...store }, undefined);
    const seed = 'http://127.0.0.1:9/';
    await coordinator.create({ input: { name: 'c', seeds: [seed] }, baseFolder: under });
    const explained = async () => {
      const reader = await readFolder(join(under, 'crawls', 'c'));
      try {
        return (await reader.explain(seed)).lines;
      } finally {
        await reader.close();
      }
    };
    try {
      expect(await explained()).not.toContainEqual(expect.stringContaining('opted out'));
      await coordinator.registry.put('opt-out', '127.0.0.1', 0, {
        reason: 'no',
        contact: 'x@y',
        date: '2026-11-16',
        ...set,
      });
      expect(await explained()).toContain(`it will be refused(opt-out): ${why}`);
    } finally {
      await coordinator.stop({ now: true });
    }
    expect(await explained()).toContain(`it will be refused(opt-out): ${why}`);
  },
);

it('makes no registry where a crawl by itself has none', async () => {
  const coordinator = await openParts({ folder: under, version: '0', id: 'a', clock }, undefined);
  const at = join(under, 'alone.crawl');
  await coordinator.create({
    input: { name: 'alone', seeds: ['http://127.0.0.1:9/'] },
    baseFolder: under,
    folder: at,
  });
  await coordinator.stop({ now: true });
  const reader = await readFolder(at);
  expect((await reader.explain('http://127.0.0.1:9/')).state).toBe('queued');
  await reader.close();
  expect(existsSync(join(at, 'registry.db'))).toBe(false);
});
