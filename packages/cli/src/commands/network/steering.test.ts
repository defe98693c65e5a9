import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../../changing-site.fixture.ts';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { crawl } from '../../library.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { runCli } from '../../program.ts';

let home: string;
let site: ChangingSite;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-steering-'));
  const links = Array.from({ length: 2_000 }, (_, n) => `<a href="/${n}">${n}</a>`).join(' ');
  site = await startChangingSite({ '/': { body: links } });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err() };
}

test('pause, resume and stop reach a crawl that runs in another process', async () => {
  const run = crawl({
    name: 'x',
    folder: join(home, 'x.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB' },
  });
  await expect.poll(() => site.asked.length, { timeout: 30_000 }).toBeGreaterThan(5);
  expect(await cli('pause', 'x')).toMatchObject({ exit: 0, out: '  paused: ./x.crawl\n' });
  // What was in flight may still be answered.
  await expect.poll(async () => (await run.snapshot()).inFlight).toBe(0);
  const asked = site.asked.length;
  expect((await run.snapshot()).state).toBe('paused');
  expect(await cli('resume', 'x')).toMatchObject({ exit: 0, out: '  resumed: ./x.crawl\n' });
  await expect.poll(() => site.asked.length, { timeout: 30_000 }).toBeGreaterThan(asked);
  expect(await cli('stop', 'x')).toMatchObject({ exit: 0, out: '  stopped: ./x.crawl\n' });
  expect((await run).state).toBe('stopped');
  expect(await cli('pause', 'x')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('No crawl is running in ./x.crawl'),
  });
});

test('edit changes the pace and the limits of a crawl that runs in a folder, and refuses wrong settings', async () => {
  const folder = join(home, 'y.crawl');
  const run = crawl({
    name: 'y',
    folder,
    seeds: [`${site.origin}/`],
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB' },
  });
  await expect.poll(() => site.asked.length, { timeout: 100_000 }).toBeGreaterThan(5);
  expect(await cli('edit', 'y', '--set', 'limits.pages=-1')).toMatchObject({ exit: 2 });
  expect(await cli('edit', 'y', '--set', 'limits.depth=3')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--rescope'),
  });
  const edited = await cli('edit', 'y', '--set', 'politeness.gap=20ms', '--set', 'limits.pages=60');
  expect(edited).toMatchObject({
    exit: 0,
    out: '  y: ./y.crawl\n    politeness.gap: 5ms → 20ms\n    limits.pages: default → 60\n',
  });
  // The new limit ends it: of 2,001 URLs no more than a few above 60 are done.
  const { state, balance } = await run;
  expect(state).toBe('limited');
  expect(balance.done).toBeGreaterThanOrEqual(60);
  expect(balance.done).toBeLessThan(200);
  expect(await cli('edit', 'y', '--set', 'politeness.gap=1s')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('No crawl is running in ./y.crawl'),
  });
});
