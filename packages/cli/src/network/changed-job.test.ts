import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseListen, readToken } from '@webfarer/coordinator';
import { type JobInput, systemClock, type WorkerId } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { openWorker } from '@webfarer/worker';
import { openKeeper } from '@webfarer/coordinator/redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { openCoordinatorService } from './coordinator-service.ts';
import { openWorkerFolder } from './worker-folder.ts';
import { keepManifest } from './worker-manifest.ts';

/** A coordinator comes back with a changed job or another crawl of the same name, to a worker that stayed up. */
const servers = redisForFile();
const clock = systemClock();
const pages = 12;
let under: string;
let server: Server;
let origin: string;
let asked: { path: string; agent: string; atMs: number }[];
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-changed-'));
  asked = [];
  const links = Array.from({ length: pages }, (_, n) => `<a href="/${n % 2 ? 'odd' : 'even'}/${n}">x</a>`);
  server = createServer(({ url = '', headers }, response) => {
    asked.push({ path: url, agent: headers['user-agent'] ?? '', atMs: clock.now() });
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(links.join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(under, { recursive: true, force: true });
});

async function serve(
  changes: Partial<JobInput>,
  { userAgent, listen = '127.0.0.1:0', data = 'data' }: Serving,
) {
  const folder = join(under, data);
  const service = await openCoordinatorService({
    folder,
    listen: parseListen(listen),
    advertise: undefined,
    withWorker: false,
    baseFolder: under,
    clock,
  });
  ends.push(() => service.stop());
  const input = { name: 'shop', seeds: [origin], fetch: { allowPrivate: ['127.0.0.0/8'] }, ...changes };
  const job = resolveJob(input);
  const { run } = await service.open({ job, input, folder, userAgent, rescope: true });
  return { service, run };
}

interface Serving {
  userAgent: string;
  listen?: string;
  /** Its folder. */
  data?: string;
}

async function startWorker(url: string): Promise<void> {
  const folder = join(under, 'worker');
  const { id, key, lock } = await openWorkerFolder(folder, '0');
  const token = await readToken(join(under, 'data', 'worker.token'));
  const service = openWorker({
    link: { kind: 'network', urls: [url], token: () => token, key },
    id: id as WorkerId,
    version: '0.0.0',
    folder,
    prepareFolder: keepManifest({ member: id, baseFolder: under, clock }),
    baseFolder: under,
    member: id,
    connections: 4,
    indexed: true,
    clock,
    random: Math.random,
  });
  ends.push(async () => {
    await service.stop();
    lock.release();
  });
  await service.start();
}

it('a worker that stays up works by the changed job: user agent, gap and scope', async () => {
  const first = await serve({ politeness: { gap: '1ms' }, limits: { pages: 4 } }, { userAgent: 'before/1' });
  await startWorker(first.service.url);
  expect((await first.run).state).toBe('limited');
  await first.service.stop();
  expect(new Set(asked.splice(0).map(({ agent }) => agent))).toEqual(new Set(['before/1']));

  const gapMs = 60;
  const second = await serve(
    { politeness: { gap: `${gapMs}ms` }, scope: { exclude: ['/odd/**'] } },
    { userAgent: 'after/2', listen: first.service.url.replace('http://', '') },
  );
  const { state, balance } = await second.run;
  expect([state, balance.queued]).toEqual(['finished', 0]);
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked.map(({ agent }) => agent))).toEqual(new Set(['after/2']));
  expect(asked.filter(({ path }) => path.startsWith('/odd/'))).toEqual([]);
  const gaps = asked.slice(1).map(({ atMs }, i) => atMs - (asked[i]?.atMs ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(gapMs - 2);
});

it('a crawl begun again under the name of an erased one is crawled whole', async () => {
  const { url: store, nodes } = await servers();
  const changes = { store, politeness: { gap: '1ms' } };
  const first = await serve(changes, { userAgent: 'test/1' });
  await startWorker(first.service.url);
  expect((await first.run).balance.done).toBe(pages + 1);
  await first.service.stop();
  // Somebody asked for its URLs a moment ago; that is forgotten after 5 s.
  await nodes[0]!.ask('DEL', '{wf}A');
  const keeper = await openKeeper({ url: store, clock });
  await keeper.forget('shop');
  await keeper.close();
  asked = [];

  const listen = first.service.url.replace('http://', '');
  const second = await serve(changes, { userAgent: 'test/1', listen, data: 'again' });
  const { state, balance } = await second.run;
  expect([state, balance.done]).toEqual(['finished', pages + 1]);
  expect(new Set(asked.map(({ path }) => path)).size).toBeGreaterThanOrEqual(pages + 1);
});
