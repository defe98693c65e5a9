import { cpSync } from 'node:fs';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFakeWeb } from '../fake-web/server.ts';
import { checkArchive, isWhole } from './archive-check.ts';
import { allHostsBut, briskJob, startCrawler, workFolder, writeJob } from './lab.ts';

const work = workFolder('archive-check');
const sound = join(work.path, 'sound.crawl');

beforeAll(async () => {
  const fake = await startFakeWeb({ size: 'S', seed: 2 });
  const { job } = briskJob(fake);
  const file = join(work.path, 'job.json');
  await writeJob(file, { ...job, scope: { stay: 'web', exclude: allHostsBut(fake, /^www\.hub/) } });
  const crawler = startCrawler(file, sound);
  if ((await crawler.ended) !== 0) throw new Error(crawler.output());
  await fake.stop();
});
afterAll(() => work.remove());

let copies = 0;
function copy(): string {
  const folder = join(work.path, `copy-${copies++}.crawl`);
  cpSync(sound, folder, { recursive: true });
  return folder;
}

async function warcOf(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'archive'));
  return join(folder, 'archive', names.find((name) => name.endsWith('.warc.gz')) as string);
}

it('finds nothing wrong with a sound archive', async () => {
  const findings = await checkArchive(sound);
  expect(findings).toMatchObject({ wrongLines: [], unindexed: [], dangling: [], orphans: 0 });
  expect(findings.indexLines).toBeGreaterThan(20);
  expect(isWhole(findings)).toBe(true);
});

it('finds captures that are gone from the end of a file', async () => {
  const folder = copy();
  const warc = await warcOf(folder);
  const { length } = await readFile(warc);
  await truncate(warc, Math.floor(length / 2));
  const findings = await checkArchive(folder);
  expect(findings.wrongLines.length).toBeGreaterThan(5);
  expect(findings.orphans).toBeLessThan(0);
  expect(isWhole(findings)).toBe(false);
});

it('finds a capture whose bytes changed', async () => {
  const folder = copy();
  const warc = await warcOf(folder);
  const bytes = await readFile(warc);
  const { wrongLines: none } = await checkArchive(folder);
  const index = await readFile(join(folder, 'archive', 'index.cdxj'), 'utf8');
  const line = JSON.parse(/\{.*"mime":"text\/html".*\}/.exec(index)?.[0] ?? '') as Record<string, string>;
  const middle = Number(line['offset']) + Math.floor(Number(line['length']) / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x55;
  await writeFile(warc, bytes);
  expect(none).toEqual([]);
  expect((await checkArchive(folder)).wrongLines).toEqual([expect.stringContaining(line['url'] as string)]);
});

it('finds a result that the index does not name', async () => {
  const folder = copy();
  const path = join(folder, 'archive', 'index.cdxj');
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  const [gone = ''] = lines.splice(3, 1);
  await writeFile(path, `${lines.join('\n')}\n`);
  const { url } = JSON.parse(gone.slice(gone.indexOf('{'))) as { url: string };
  const findings = await checkArchive(folder);
  expect(findings.unindexed).toEqual([url]);
  expect(findings.orphans).toBe(1);
  expect(isWhole(findings)).toBe(false);
});
