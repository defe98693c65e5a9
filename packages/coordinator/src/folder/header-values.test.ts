import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveJob, requireHeaderValues } from '@webfarer/protocol/job';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { newManifest, readManifest, writeManifest } from './manifest.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-header-values-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const jobWith = (headers: Record<string, string>) => ({ seeds: ['http://a.test/'], fetch: { headers } });
const manifestOf = (job: unknown) =>
  newManifest({
    webfarer: '0',
    name: 'c',
    job,
    baseFolder: folder,
    seeds: ['http://a.test/'],
    userAgent: 't',
    nowMs: 0,
  });
const filesWith = (text: string) =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'latin1').includes(text));

it('keeps keys of a job out of crawl.json and crawl.db, for their owner only, and a crawl resumes with them', async () => {
  await openSqliteFrontier({ path: join(folder, 'crawl.db'), clock: systemClock() }).close();
  const job = jobWith({ 'X-Api-Key': 'tell-nobody', 'Accept-Language': 'de' });
  await writeManifest(folder, manifestOf(job));
  expect(filesWith('tell-nobody')).toEqual(['header-values.json']);
  expect(statSync(join(folder, 'header-values.json')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8'))).toMatchObject({
    job: { fetch: { headers: { 'X-Api-Key': '***', 'Accept-Language': 'de' } } },
  });
  expect((await readManifest(folder))?.job).toEqual(job);
  rmSync(join(folder, 'crawl.json'));
  expect((await readManifest(folder))?.job).toEqual(job);
});

it('follows the job: another key takes the place of the first, and none leaves no file', async () => {
  await writeManifest(folder, manifestOf(jobWith({ 'X-Api-Key': 'first' })));
  await writeManifest(folder, manifestOf(jobWith({ 'X-Api-Key': 'second' })));
  expect([filesWith('first'), (await readManifest(folder))?.job]).toEqual([
    [],
    jobWith({ 'X-Api-Key': 'second' }),
  ]);
  await writeManifest(folder, manifestOf(jobWith({ Accept: '*/*' })));
  expect(readdirSync(folder)).toEqual(['crawl.json']);
});

it('sends no mask in the place of a key: a crawl.json without its keys does not run', async () => {
  const manifest = manifestOf(jobWith({ 'X-Api-Key': 'tell-nobody' }));
  await writeManifest(folder, manifest);
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  copyFileSync(join(folder, 'crawl.json'), join(copy, 'crawl.json'));
  const read = await readManifest(copy);
  expect(() => requireHeaderValues(resolveJob(read?.job))).toThrow(/lacks the values of X-Api-Key/);
  // One who could not read the keys does not erase them either.
  await writeManifest(folder, { ...manifest, job: read?.job });
  expect((await readManifest(folder))?.job).toEqual(manifest.job);
});
