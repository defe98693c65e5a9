import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';

let cwd: string;
let site: ChangingSite;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'webfarer-jobs-'));
  site = await startChangingSite({
    '/': { body: '<a href="/a">a</a> <a href="/b">b</a>' },
    '/a': { body: '<p>a' },
    '/b': { body: '<p>b' },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(cwd, { recursive: true, force: true });
});

/** The real thing, but for the process. */
async function cli(...argv: string[]) {
  const world = fakeWorld(cwd, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err() };
}

describe('what init writes', () => {
  test("is accepted by validate and by run, in one's own network too", async () => {
    expect((await cli('init', '--yes', '--seed', `${site.origin}/`)).exit).toBe(0);
    expect(await cli('validate', 'job.yml')).toMatchObject({ exit: 0 });
    const run = await cli('run', 'job.yml', '--gap', '1ms', '--quiet');
    expect([run.exit, run.err]).toEqual([0, '']);
    expect(site.asked.map(({ path }) => path).toSorted()).toEqual(['/', '/a', '/b']);
  });
});

describe('run', () => {
  test('takes the options of crawl', async () => {
    await cli('init', '--yes', '--seed', `${site.origin}/`);
    const { exit, out } = await cli('run', 'job.yml', '--limit', '1', '--gap', '1ms', '--quiet');
    expect([exit, site.asked.length]).toEqual([0, 1]);
    expect(out).toContain('limit');
  });
});

describe('a list of seeds', () => {
  const job = "name: x\nseeds: [{ file: seeds.txt }]\nfetch: { allowPrivate: ['127.0.0.0/8'] }\n";
  test('with bad lines is refused with their places, all at once, by validate and run', async () => {
    writeFileSync(join(cwd, 'job.yml'), job);
    writeFileSync(join(cwd, 'seeds.txt'), `# ours\n${site.origin}/\nftp://x.test/\n\nnot an address\n`);
    for (const command of ['validate', 'run']) {
      const { exit, err } = await cli(command, 'job.yml');
      expect(exit).toBe(2);
      expect(err).toContain('seeds.txt:3: ftp://x.test/ is not a web address');
      expect(err).toContain('seeds.txt:5: not an address is not a web address');
    }
  });
});

test('validate says what run would refuse', async () => {
  writeFileSync(join(cwd, 'job.yml'), `name: x\nseeds: ['${site.origin}/']\n`);
  const own = await cli('validate', 'job.yml');
  expect([own.exit, own.err]).toEqual([2, expect.stringContaining(`allowPrivate: ['${site.origin}']`)]);
  writeFileSync(join(cwd, 'job.yml'), 'name: x\nseeds: [example.org]\nscraper: ./gone.ts\n');
  expect(await cli('validate', 'job.yml')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('cannot load the scraper ./gone.ts'),
  });
});

test('options are checked together with the file, by validate and run alike', async () => {
  // Page requisites of a mirror come from anywhere: such a crawl needs a contact.
  writeFileSync(join(cwd, 'job.yml'), `name: x\nseeds: ['${site.origin}/']\nmirror: {}\n`);
  const options = ['--contact', 'm@x.org', '--allow-private', site.origin];
  expect(await cli('validate', 'job.yml')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--contact'),
  });
  expect(await cli('validate', 'job.yml', ...options)).toMatchObject({ exit: 0, err: '' });
  const run = await cli('run', 'job.yml', ...options, '--gap', '1ms', '--quiet');
  expect([run.exit, run.err]).toEqual([0, '']);
  writeFileSync(join(cwd, 'job.yml'), 'no job\n');
  expect(await cli('run', 'job.yml', ...options)).toMatchObject({ exit: 2 });
});

test('a name that is neither a folder nor a host is told as that', async () => {
  expect(await cli('check', 'nope')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('There is no crawl folder nope, and nope is not a host name.'),
  });
});
