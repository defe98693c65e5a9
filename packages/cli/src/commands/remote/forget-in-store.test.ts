import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ForgetSite,
  goneHost,
  marker,
  otherHosts,
  startForgetSite,
} from '../../../../../test/forget/forget-site.ts';
import { searchBytes } from '../../../../../test/forget/search-bytes.ts';
import { type Network, startNetwork } from '../../../../../test/network/launcher.ts';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { runCli } from '../../program.ts';

const servers = redisForFile();
let home: string;
let site: ForgetSite;
let network: Network;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-forget-in-store-'));
  site = await startForgetSite();
  network = await startNetwork({
    under: home,
    workers: 2,
    store: (await servers()).url,
    coordinatorWords: ['--insecure-store'],
  });
});
afterAll(async () => {
  await network?.end();
  await site?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err() };
}

const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Undefined: a file was removed while it was searched. */
function traces(folder = home) {
  try {
    return searchBytes(folder, [marker]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const crawlIn = async () => jsonLines((await cli('ls', '--json')).out).find(({ name }) => name === 'request');

const jobFor = (name: string, at: string) => ({
  name,
  seeds: site.seeds,
  contact: 'https://lab.test/crawler',
  scope: { stay: 'web' },
  politeness: { gap: '20ms', slowFactor: 0 },
  limits: { minFree: '50MB' },
  save: [{ warc: { at } }],
  fetch: { ...site.fetch, timeout: '20s' },
});

test('deletes a host from a crawl in a store and object storage, which runs', async () => {
  const objects = join(home, 'objects');
  const job = jobFor('request', `file://${objects}`);
  writeFileSync(join(home, 'request.json'), JSON.stringify(job));
  expect(await cli('start', 'request.json')).toMatchObject({ exit: 0 });
  // Something of it is in chunks by now.
  await expect.poll(() => traces()?.length ?? 0, { timeout: 120_000, interval: 200 }).toBeGreaterThan(0);
  const { url = () => '', folder = '' } = network.coordinators[0] ?? {};
  const at = ['--at', url(), '--token-file', join(folder, 'operator.token')];
  const forgot = await cli('forget', goneHost, 'request', ...at, '--yes', '--json');
  expect(forgot, forgot.err).toMatchObject({ exit: 0 });
  expect(JSON.parse(forgot.out)).toMatchObject({ complete: true, left: [] });
  await expect.poll(async () => (await crawlIn())?.['state'], { timeout: 120_000 }).toBe('finished');
  // Workers complete their files a moment later, and what is searched goes away under the search.
  await expect.poll(() => traces(), { timeout: 60_000 }).toEqual([]);
  const { out } = await cli('results', 'request');
  expect(out).toContain(otherHosts[0]);
  expect(out).not.toContain(goneHost);
});

test('is complete only when every coordinator of the store has deleted the host from its folder', async () => {
  const under = join(home, 'two');
  // On the same store it would take part.
  await network.end();
  const two = await startNetwork({
    under,
    workers: 2,
    coordinators: 2,
    store: (await servers()).url,
    coordinatorWords: ['--insecure-store'],
  });
  try {
    const job = jobFor('shared', 'coordinator');
    writeFileSync(join(home, 'shared.json'), JSON.stringify(job));
    const [first, second] = two.coordinators.map((one) => [
      '--at',
      one.url(),
      '--token-file',
      join(one.folder, 'operator.token'),
    ]) as [string[], string[]];
    expect(await cli('start', 'shared.json', ...first)).toMatchObject({ exit: 0 });
    const folders = two.coordinators.map(({ folder }) => join(folder, 'crawls', 'shared'));
    const outputs = folders.map((folder) => join(folder, 'results.jsonl'));
    const named = () =>
      outputs.map((file) => existsSync(file) && readFileSync(file, 'utf8').includes(goneHost));
    await expect.poll(named, { timeout: 120_000, interval: 200 }).toEqual([true, true]);
    // Its outputs are there a moment before it has ended, which the command waits for.
    const forget = async (at: string[]) => {
      const { exit, out } = await cli('forget', goneHost, 'shared', ...at, '--yes', '--json');
      return { exit, ...(jsonLines(out)[0] as { complete: boolean; left: string[] }) };
    };
    expect(await forget(first)).toMatchObject({
      exit: 7,
      complete: false,
      left: [expect.stringContaining(`${folders[1]} on `)],
    });
    expect(named()).toEqual([false, true]);
    expect(await forget(second)).toMatchObject({ exit: 0, complete: true, left: [] });
    expect(named()).toEqual([false, false]);
    expect(await forget(first)).toMatchObject({ exit: 0, complete: true, left: [] });
    // Workers give up what they kept until it was acknowledged a moment later.
    await expect.poll(() => traces(under), { timeout: 60_000 }).toEqual([]);
  } finally {
    await two.end();
  }
}, 240_000);
