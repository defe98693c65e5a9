import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from '../../../../test/library/small-site.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';

let home: string;
let site: SmallSite;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-log-'));
  site = await startSmallSite(shopPages);
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function crawl(...more: string[]) {
  const argv = ['crawl', site.origin, '--gap', '1ms', '--allow-private', '127.0.0.0/8', ...more];
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, err: world.err() };
}

it('crawl --log-file writes what happens, from its level on', async () => {
  expect(await crawl('--log-file', 'web.log', '--log-level', 'debug')).toMatchObject({ exit: 0 });
  const lines = readFileSync(join(home, 'web.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; level: string; record?: { url: string } });
  const urls = lines.flatMap(({ record }) => (record ? [record.url] : []));
  expect(urls).toContain(`${site.origin}/p/saw`);
  expect(lines.at(-1)).toMatchObject({ type: 'crawl-state', level: 'info', state: 'finished' });
});

it('other hosts are left out, and - is stderr', async () => {
  const { err } = await crawl(
    '--log-file',
    '-',
    '--log-format',
    'text',
    '--log-level',
    'debug',
    '--log-host',
    'other.test',
  );
  expect(err).toMatch(/Z info crawl-state crawl=\S+ name=\S+ state=finished\n/);
  expect(err).not.toContain(' record ');
});

it('options of the log without the log are a mistake', async () => {
  const { exit, err } = await crawl('--log-level', 'warn');
  expect([exit, err]).toEqual([2, expect.stringContaining('--log-level needs --log-file')]);
});
