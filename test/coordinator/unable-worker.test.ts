import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@webfarer/protocol';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { coordinatorStage, type Listener } from './parts.fixture.ts';

const stage = coordinatorStage();
const pages = 20;
const within = { timeout: 120_000 };
let site: SmallSite;
let server: Listener;
const unable: EventOf<'worker-unable'>[] = [];

beforeEach(async () => {
  unable.length = 0;
  site = await stage.siteOf(pages);
  server = await stage.serverIn('data');
  server.coordinator.events.listen(['worker-unable'], (event) => void unable.push(event));
});

const ownCa = (changes: object = {}) => ({
  fetch: { allowPrivate: [site.origin], ca: 'ours.pem' },
  ...changes,
});

test('a crawl that a worker cannot open is reported and left out, and the others are crawled', async () => {
  const bad = await server.coordinator.create(stage.job('bad', [site], ownCa()));
  const good = await server.coordinator.create(stage.job('good', [site]));
  const left: string[] = [];
  const worker = await stage.farWorker(server, 'w', { unable: ({ job }) => void left.push(job.name) });
  expect((await good.crawl.ended).balance.done).toBe(pages + 1);
  await vi.waitFor(() => expect(unable).toHaveLength(1), within);
  expect(unable[0]).toMatchObject({
    worker: 'w',
    name: 'bad',
    code: 'job-invalid',
    message: expect.stringContaining('cannot read fetch.ca'),
  });
  expect(left).toEqual(['bad']);
  const { stall, hands, balance } = await bad.crawl.snapshot();
  expect(stall).toMatchObject({ cause: 'workers-unable', text: expect.stringContaining('worker w: cannot') });
  expect(hands?.unable?.workers).toBe(1);
  // Nothing of it is held by the worker, and nothing was charged with its trouble.
  expect(balance).toMatchObject({ queued: 1, leased: 0, failed: 0 });
  expect(worker.look().unable).toMatchObject([{ crawl: bad.crawl.id }]);

  // It is taken up when its job changes and the machine has what it takes.
  writeFileSync(join(stage.folder, 'ours.pem'), '');
  const input = stage.job('bad', [site], ownCa({ limits: { minFree: '1MB', pages: 5 } })).input;
  await bad.crawl.edit({ input });
  expect(await bad.crawl.ended).toMatchObject({ state: 'limited', balance: { done: 5 } });
  expect(worker.look().unable).toBeUndefined();
});

test('another worker crawls what one cannot', async () => {
  const { crawl } = await server.coordinator.create(stage.job('bad', [site], ownCa()));
  await stage.farWorker(server, 'w');
  await vi.waitFor(() => expect(unable).toHaveLength(1), within);
  const elsewhere = join(stage.folder, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'ours.pem'), '');
  await stage.farWorker(server, 'able', { baseFolder: elsewhere });
  expect((await crawl.ended).balance.done).toBe(pages + 1);
  expect(unable).toHaveLength(1);
});
