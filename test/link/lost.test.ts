import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoordinatorLink, HostLease, WorkerId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFaultProxy } from '../faults/proxy.ts';
import {
  clock,
  crawl,
  doneReport,
  frontierLink,
  offer,
  openClient,
  openFrontier,
  openStation,
  type Station,
  temporaryFolder,
  until,
} from './link.fixture.ts';

const cleanups: (() => Promise<unknown>)[] = [];
const worker = 'w1' as WorkerId;
const request = { worker, hosts: 8, urlsPerHost: 10 };
let folder = '';
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.folder;
  cleanups.push(temporary.remove);
});
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function world(limits = {}) {
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  await frontier.offer(crawl, [offer('http://a.test/'), offer('http://b.test/')]);
  const link = frontierLink(frontier);
  const station = await openStation({ frontier, link, limits });
  return { frontier, link, station };
}

const closing = (station: Station) => cleanups.push(() => station.close());

test('a report that was stored while its answer was lost is sent again and changes nothing', async () => {
  const { frontier, link, station } = await world();
  let stored = 0;
  const deaf: CoordinatorLink = {
    ...link,
    async report(reports) {
      const answers = await link.report(reports);
      stored++;
      // The answer never arrives: the connection is cut between the two.
      if (stored === 1) void station2.cut();
      return answers;
    },
  };
  await station.close();
  const station2 = await openStation({ frontier, link: deaf });
  const client = openClient([station2.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  const answers = await client.link.report(leases.map((lease) => doneReport(lease, {}, ['http://a.test/x'])));
  expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
  expect(client.state()).toMatchObject({ connected: false, outbox: 1 });
  const station3 = await openStation({ frontier, link: deaf, port: station2.port });
  closing(station3);
  await until('the outbox is empty', () => client.state().outbox === 0);
  expect(stored).toBe(2);
  const balance = await frontier.balance(crawl);
  expect(balance).toMatchObject({ known: 3, queued: 1, leased: 0, done: 2 });
  expect((await frontier.totals(crawl)).edges).toBe(2);
});

test('a coordinator that is killed and started again finds its workers with their leases', async () => {
  const { frontier, link, station } = await world();
  const client = openClient([station.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  expect(leases).toHaveLength(2);
  await station.cut();
  await until('it is noticed', () => !client.state().connected);
  await expect(client.link.renew(leases)).rejects.toMatchObject({ code: 'link-lost' });
  expect(await client.link.lease(request)).toEqual({ leases: [], nextDueMs: null });
  const again = await openStation({ frontier, link, port: station.port });
  closing(again);
  await until('it is back', () => again.server.workers().length === 1);
  expect(again.server.workers()).toMatchObject([{ held: 2 }]);
  await until('it can ask', async () => (await client.link.renew(leases).catch(() => [])).length === 2);
  const answers = await client.link.report(leases.map((lease) => doneReport(lease)));
  expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
  expect(await frontier.balance(crawl)).toMatchObject({ queued: 0, leased: 0, done: 2 });
});

test('finished work survives the end of the worker too, and is told before its old leases are freed', async () => {
  const { frontier, link, station } = await world();
  const client = openClient([station.url], folder);
  await client.start();
  const { leases } = await client.link.lease({ ...request, hosts: 2 });
  await station.cut();
  await until('it is noticed', () => !client.state().connected);
  const [first] = leases as [HostLease, HostLease];
  expect(await client.link.report([doneReport(first)])).toEqual([{ ok: true, accepted: 0, known: 0 }]);
  await client.stop();
  expect(await readFile(join(folder, 'outbox.jsonl'), 'utf8')).toContain(first.id);
  expect(await frontier.balance(crawl)).toMatchObject({ leased: 2, done: 0 });
  const again = await openStation({ frontier, link });
  closing(again);
  const successor = openClient([again.url], folder);
  cleanups.push(() => successor.stop());
  await successor.start();
  // One was finished; what the dead process held otherwise is back in the queue.
  expect(await frontier.balance(crawl)).toMatchObject({ queued: 1, leased: 0, done: 1 });
  expect(await readFile(join(folder, 'outbox.jsonl'), 'utf8')).toBe('');
});

test('a grant that never reached its worker is free again as soon as the worker is back', async () => {
  const { frontier, link, station } = await world();
  await station.close();
  const proxied: CoordinatorLink = {
    ...link,
    async lease(asked) {
      const answer = await link.lease(asked);
      // What goes to the worker is swallowed from here on, then the connection breaks.
      if (answer.leases.length > 0) proxy.set({ kind: 'black-hole' });
      return answer;
    },
  };
  const behind = await openStation({ frontier, link: proxied, limits: { heartbeatMs: 50 } });
  closing(behind);
  const proxy = await startFaultProxy({ to: { host: '127.0.0.1', port: behind.port } });
  cleanups.push(() => proxy.stop());
  const client = openClient([`http://127.0.0.1:${proxy.port}`], folder);
  cleanups.push(() => client.stop());
  await client.start();
  expect((await client.link.lease(request)).leases).toEqual([]);
  expect(await frontier.balance(crawl)).toMatchObject({ leased: 2 });
  proxy.heal();
  await until('the leases are free', async () => (await frontier.balance(crawl)).leased === 0);
});

test('a grant that was lost with the coordinator that made it is free as soon as its worker finds another', async () => {
  const { frontier, link } = await world();
  let asked = 0;
  const dying: CoordinatorLink = {
    ...link,
    async lease(wanted) {
      const answer = await link.lease(wanted);
      // The second grant is stored, and nobody ever hears of it.
      if (++asked < 2) return answer;
      void station2.cut();
      return await new Promise(() => undefined);
    },
  };
  const station2 = await openStation({ frontier, link: dying });
  const client = openClient([station2.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease({ ...request, hosts: 1 });
  expect(await client.link.lease({ ...request, hosts: 1 })).toMatchObject({ leases: [] });
  const station3 = await openStation({ frontier, link, port: station2.port });
  closing(station3);
  await until('it is back', () => station3.server.workers().length === 1);
  await until('it is free', async () => (await frontier.balance(crawl)).leased === 1);
  expect(await frontier.balance(crawl)).toMatchObject({ queued: 1, leased: 1 });
  await until('it can ask', async () => (await client.link.renew(leases).catch(() => [])).length === 1);
  expect(await client.link.report(leases.map((lease) => doneReport(lease)))).toMatchObject([{ ok: true }]);
});

test('a dead network is noticed by its silence on both sides', async () => {
  const { station } = await world({ heartbeatMs: 50 });
  closing(station);
  const proxy = await startFaultProxy({ to: { host: '127.0.0.1', port: station.port } });
  cleanups.push(() => proxy.stop());
  const client = openClient([`http://127.0.0.1:${proxy.port}`], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { sinceMs } = client.state();
  await until('ten heartbeats have passed', () => clock.now() > sinceMs + 500);
  expect(client.state()).toMatchObject({ connected: true, sinceMs });
  proxy.set({ kind: 'black-hole' });
  await until('the worker notices', () => !client.state().connected, 2_000);
  await until('the coordinator notices', () => station.server.workers().length === 0, 2_000);
  proxy.heal();
  await until('they find each other again', () => client.state().connected);
});

test('without its coordinator a worker goes to another that it was told of, within two seconds', async () => {
  const { frontier, link, station } = await world();
  const other = await openStation({ frontier, link, id: 'c2' });
  closing(other);
  const told = await openStation({ frontier, link, peers: () => [{ id: 'c2', url: other.url }] });
  await station.close();
  const client = openClient([told.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  expect(client.peers()).toEqual([{ id: 'c2', url: other.url }]);
  await told.cut();
  await until('it is at the other', () => client.state().coordinator === 'c2', 2_000);
});

test('a worker that is told to switch keeps its leases and loses nothing', async () => {
  const { frontier, link, station } = await world();
  closing(station);
  const other = await openStation({ frontier, link, id: 'c2' });
  closing(other);
  const client = openClient([station.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  expect(station.server.tell(worker, { type: 'switch', to: 'http://127.0.0.1:1' })).toBe(true);
  expect(station.server.tell(worker, { type: 'switch', to: other.url })).toBe(true);
  await until('it is at the other', () => client.state().coordinator === 'c2');
  await until('it has left the first', () => station.server.workers().length === 0);
  expect(other.server.workers()).toMatchObject([{ held: 2 }]);
  const answers = await client.link.report(leases.map((lease) => doneReport(lease)));
  expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
});

test('a worker that was told to switch notices at once when the new one is lost, whatever the old one does', async () => {
  const { frontier, link, station } = await world();
  closing(station);
  const second = await openStation({ frontier, link, id: 'c2' });
  const third = await openStation({ frontier, link, id: 'c3' });
  closing(third);
  const proxy = await startFaultProxy({ to: { host: '127.0.0.1', port: station.port } });
  cleanups.push(() => proxy.stop());
  const client = openClient([`http://${proxy.address}`, third.url], folder, { random: () => 0 });
  cleanups.push(() => client.stop());
  await client.start();
  expect(client.state().coordinator).toBe('c1');
  // Orders still come through, but the first one never hears that it is left.
  proxy.set({ kind: 'half-open', silent: 'to-server' });
  expect(station.server.tell(worker, { type: 'switch', to: second.url })).toBe(true);
  await until('it is at the second', () => client.state().coordinator === 'c2');
  await second.cut();
  await until('it is at the third', () => client.state().coordinator === 'c3', 6_000);
});
