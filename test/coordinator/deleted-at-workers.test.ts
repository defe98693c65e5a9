import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Coordinator, openServer, readToken, type Server } from '@webfarer/coordinator';
import type { WorkerId } from '@webfarer/protocol';
import { type OpenWorker, openWorker } from '@webfarer/worker';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { coordinatorStage } from './parts.fixture.ts';

const stage = coordinatorStage();
const pages = 30;
const within = { timeout: 20_000 };
let site: SmallSite;
let server: Server;
let coordinator: Coordinator;
const workers: OpenWorker[] = [];

async function serveIn(name: string): Promise<void> {
  server = await openServer({
    folder: join(stage.folder, name),
    version: '0',
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    expectsWorker: false,
  });
  coordinator = await server.host({});
  await server.ready();
}

beforeEach(async () => {
  site = await stage.siteOf(pages);
  await serveIn('data');
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await server.stop();
});

const create = (name: string) => coordinator.create(stage.job(name, [site], { save: ['warc'] }));

/** On another machine, as far as the coordinator can tell. */
async function startWorker(data = 'data'): Promise<OpenWorker> {
  const token = await readToken(join(stage.folder, data, 'worker.token'));
  const worker = openWorker({
    link: { kind: 'network', urls: [server.url], token },
    id: 'w' as WorkerId,
    version: '0',
    folder: join(stage.folder, 'w'),
    connections: 4,
  });
  workers.push(worker);
  await worker.start();
  return worker;
}

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
  expect(await coordinator.delete('doomed')).toBe(true);
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
  expect(await coordinator.delete('shop')).toBe(true);
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
  await serveIn('other');
  const { crawl } = await create('mine');
  await startWorker('other');
  expect((await crawl.ended).balance.done).toBe(pages + 1);
  expect([kept(), saved('shop').length]).toEqual([['mine', 'shop'], 1]);
});
