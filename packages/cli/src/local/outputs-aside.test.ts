import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { CrawlId } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { folderSnapshot } from '../folder/folder-snapshot.ts';
import { crawl } from '../library.ts';
import { readFolder, readManifest } from '@webfarer/coordinator';
import { type OutputTask, writeOutputsAside } from './outputs-aside.ts';

let home: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-aside-'));
  site = await startChangingSite({ '/': { body: '<a href="/a">a</a>' }, '/a': { body: '<p>a' } });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

/** A crawl that has ended, and what a thread must know to write its outputs again. */
async function finishedCrawl(): Promise<OutputTask> {
  const folder = join(home, 'x.crawl');
  await crawl({
    name: 'x',
    folder,
    seeds: [`${site.origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB' },
  });
  const manifest = await readManifest(folder);
  const reader = await readFolder(folder);
  const snapshot = await folderSnapshot(reader);
  await reader.close();
  if (!manifest) throw new Error('no manifest');
  const id: CrawlId = manifest.id;
  return {
    folder,
    manifest,
    crawl: id,
    job: reader.job,
    snapshot,
    hasItems: false,
    absent: 0,
    member: undefined,
    seeds: [],
    mirrorTo: undefined,
    previous: undefined,
  };
}

describe('outputs written in a thread', () => {
  it('are those that the crawl wrote itself', async () => {
    const task = await finishedCrawl();
    const before = readFileSync(join(task.folder, 'results.jsonl'), 'utf8');
    const { outputs } = (await readManifest(task.folder)) ?? {};
    rmSync(join(task.folder, 'results.jsonl'));
    rmSync(join(task.folder, 'report.html'));
    expect(await writeOutputsAside(task, new AbortController().signal)).toEqual(outputs);
    expect(readFileSync(join(task.folder, 'results.jsonl'), 'utf8')).toBe(before);
    expect(readdirSync(task.folder)).toContain('report.html');
  });

  it('can be given up, which leaves no half of a file', async () => {
    const task = await finishedCrawl();
    expect(await writeOutputsAside(task, AbortSignal.abort())).toBeUndefined();
    expect(readdirSync(task.folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('fail with the error of the thread', async () => {
    const task = await finishedCrawl();
    const nowhere = { ...task, folder: join(home, 'gone') };
    await expect(writeOutputsAside(nowhere, new AbortController().signal)).rejects.toThrow(
      'unable to open database file',
    );
  });

  it('take two threads at once, and one that is given up while it waits takes none', async () => {
    const task = { ...(await finishedCrawl()), folder: join(home, 'gone') };
    let [begun, alive, most] = [0, 0, 0];
    const count = (thread: Worker) => {
      begun++;
      most = Math.max(most, ++alive);
      thread.once('exit', () => alive--);
    };
    process.on('worker', count);
    const stop = new AbortController();
    const { signal } = new AbortController();
    const writing = [signal, signal, stop.signal, signal].map((each) => writeOutputsAside(task, each));
    const ended = Promise.allSettled(writing);
    stop.abort();
    expect(await writing[2]).toBeUndefined();
    const fates = (await ended).map(({ status }) => status);
    process.off('worker', count);
    expect(fates).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected']);
    expect([begun, most]).toEqual([3, 2]);
  });
});
