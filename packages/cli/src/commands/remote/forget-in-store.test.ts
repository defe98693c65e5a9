import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
function traces() {
  try {
    return searchBytes(home, [marker]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const crawlIn = async () => jsonLines((await cli('ls', '--json')).out).find(({ name }) => name === 'request');

test('deletes a host from a crawl in a store and object storage, which runs', async () => {
  const objects = join(home, 'objects');
  const job = {
    name: 'request',
    seeds: site.seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web' },
    politeness: { gap: '20ms', slowFactor: 0 },
    limits: { minFree: '50MB' },
    save: [{ warc: { at: `file://${objects}` } }],
    fetch: { ...site.fetch, timeout: '20s' },
  };
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
