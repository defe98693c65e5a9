import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../../changing-site.fixture.ts';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { openCoordinatorService } from '../../network/coordinator-service.ts';
import { parseListen } from '@webfarer/coordinator';
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

test('pause, resume and stop reach a coordinator by its data folder, and its worker obeys', async () => {
  const folder = join(home, 'data');
  const service = await openCoordinatorService({
    folder,
    listen: parseListen('127.0.0.1:0'),
    advertise: undefined,
    withWorker: true,
    baseFolder: home,
    clock: systemClock(),
  });
  try {
    const input = {
      name: 'x',
      seeds: [`${site.origin}/`],
      politeness: { gap: '5ms', slowFactor: 0 },
      fetch: { allowPrivate: ['127.0.0.0/8'] },
      limits: { minFree: '1MB' },
    };
    const { run } = await service.open({
      job: resolveJob(input),
      input,
      folder,
      userAgent: 'webfarer-test/1',
    });
    await expect.poll(() => site.asked.length, { timeout: 30_000 }).toBeGreaterThan(5);

    expect(await cli('pause', 'data')).toMatchObject({ exit: 0, out: '  paused: ./data\n' });
    await expect.poll(async () => (await run.snapshot()).balance.leased, { timeout: 30_000 }).toBe(0);
    const asked = site.asked.length;
    const { state, balance } = await run.snapshot();
    expect(state).toBe('paused');
    expect(balance.queued).toBeGreaterThan(0);
    expect((await service.status()).crawls[0]).toMatchObject({ name: 'x', state: 'paused' });
    // Asking for the state again takes longer than the gap between two requests.
    expect(await cli('pause', 'data')).toMatchObject({ exit: 0 });
    expect(site.asked.length).toBe(asked);

    expect(await cli('resume', 'data')).toMatchObject({ exit: 0, out: '  resumed: ./data\n' });
    await expect.poll(() => site.asked.length, { timeout: 30_000 }).toBeGreaterThan(asked);

    expect(await cli('stop', 'data')).toMatchObject({ exit: 0, out: '  stopped: ./data\n' });
    expect((await run).state).toBe('stopped');
  } finally {
    await service.stop();
  }
  expect(await cli('pause', 'data')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('No crawl is running in ./data'),
  });
});
