import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { coordinatorStage, type Listener } from './parts.fixture.ts';

const stage = coordinatorStage();
const pages = 30;
const within = { timeout: 120_000 };
let site: SmallSite;
let server: Listener;

beforeEach(async () => {
  site = await stage.siteOf(pages);
  server = await stage.serverIn('data');
});

const create = (name: string) => server.coordinator.create(stage.job(name, [site], { save: ['warc'] }));
const startWorker = () => stage.farWorker(server, 'w');

const folders = () =>
  readdirSync(join(stage.folder, 'w'))
    .filter((name) => name.endsWith('.crawl'))
    .toSorted();
/** The crawls that the worker keeps a folder of. */
const kept = () => folders().map((name) => name.replace(/-[0-9a-f]{8}\.crawl$/, ''));

/** The archives that the worker has of a crawl. */
function saved(name: string): string[] {
  const found = folders().filter((folder) => folder.startsWith(`${name}-`));
  return found.flatMap((folder) => {
    const archive = join(stage.folder, 'w', folder, 'archive');
    return existsSync(archive) ? readdirSync(archive).filter((file) => file.includes('.warc.gz')) : [];
  });
}

test('a worker erases what it keeps of a deleted crawl, and of no other', async () => {
  const stopped = await create('stopped');
  await create('doomed');
  const ended = await create('ended');
  await startWorker();
  await vi.waitFor(() => {
    for (const name of ['stopped', 'doomed', 'ended']) expect(saved(name)).not.toEqual([]);
  }, within);
  await stopped.crawl.stop();
  expect(await server.coordinator.delete('doomed')).toBe(true);
  await vi.waitFor(() => expect(kept()).toEqual(['ended', 'stopped']), within);
  expect((await ended.crawl.ended).balance.done).toBe(pages + 1);
  expect([saved('ended').length, saved('stopped').length]).toEqual([1, 1]);
});

test('a worker that was away erases it when it is back, whichever crawl has its name by then', async () => {
  const { crawl } = await create('shop');
  const first = await startWorker();
  await vi.waitFor(() => expect(saved('shop')).not.toEqual([]), within);
  const [old = ''] = folders();
  await first.stop();
  await crawl.stop();
  expect(await server.coordinator.delete('shop')).toBe(true);
  const again = await create('shop');
  expect(folders()).toEqual([old]);
  await startWorker();
  await vi.waitFor(() => expect(folders()).not.toContain(old), within);
  expect((await again.crawl.ended).balance.done).toBe(pages + 1);
  expect([kept(), saved('shop').length]).toEqual([['shop'], 1]);
});

test('a worker keeps what it has of a crawl that its coordinator merely does not know', async () => {
  await create('shop');
  const first = await startWorker();
  await vi.waitFor(() => expect(saved('shop')).not.toEqual([]), within);
  await first.stop();
  await server.stop();
  server = await stage.serverIn('other');
  const { crawl } = await create('mine');
  await startWorker();
  expect((await crawl.ended).balance.done).toBe(pages + 1);
  expect([kept(), saved('shop').length]).toEqual([['mine', 'shop'], 1]);
});
