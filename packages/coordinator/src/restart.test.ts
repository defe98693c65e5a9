import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostLease, LeaseReport, WorkerId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCoordinator, openParts } from './coordinator.ts';
import { deafListening } from './listening.fixture.ts';

/** A crawl folder whose coordinator comes back while workers hold leases: what becomes of those. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-restart-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const member = 'c0ffee00';
const hosts = ['http://127.0.0.1:9/', 'http://127.0.0.2:9/'];
const input = {
  name: 'restart',
  seeds: hosts,
  contact: 'mailto:a@b.test',
  fetch: { allowPrivate: ['127.0.0.0/8'] },
};

const spec = () => ({ input, folder, baseFolder: folder, userAgent: 'test' });

/** Opens the folder as a coordinator that listens, without a worker. */
async function openListening() {
  const coordinator = await openParts({ folder, version: '0', id: member }, deafListening);
  const { crawl } = await coordinator.create(spec());
  const open = async () => {
    const { queued, leased } = (await crawl.snapshot()).balance;
    return queued + leased;
  };
  await expect.poll(open).toBe(2);
  return { coordinator, link: coordinator.router.link, crawl };
}

async function leaseOne(
  worker: string,
  { link }: Awaited<ReturnType<typeof openListening>>,
): Promise<HostLease> {
  const asked = { worker: worker as WorkerId, hosts: 1, urlsPerHost: 1 };
  let lease: HostLease | undefined;
  // Nothing is leased before the crawl runs.
  await expect.poll(async () => (lease ??= (await link.lease(asked)).leases[0])).toBeDefined();
  return lease as HostLease;
}

function closing({ id, crawl, host, fence }: HostLease): LeaseReport {
  return {
    id,
    crawl,
    host,
    fence,
    settled: [],
    close: true,
    news: { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'none' },
  };
}

it('keeps the leases of workers that may be alive', async () => {
  const first = await openListening();
  const far = await leaseOne('far-away', first);
  await first.coordinator.stop({ now: true });
  const second = await openListening();
  expect((await second.crawl.snapshot()).balance.leased).toBe(1);
  expect((await second.link.report([closing(far)])).map(({ ok }) => ok)).toEqual([true]);
  await second.coordinator.stop({ now: true });
});

it('takes them for dead in a folder that only one machine ever used', async () => {
  const first = await openListening();
  const far = await leaseOne('far-away', first);
  await first.coordinator.stop({ now: true });
  const file = join(folder, 'crawl.json');
  const { network: _network, ...manifest } = JSON.parse(await readFile(file, 'utf8')) as Record<
    string,
    unknown
  >;
  await writeFile(file, JSON.stringify(manifest));
  const alone = await openCoordinator({ folder, version: '0' });
  await alone.create(spec());
  await alone.stop({ now: true });
  const third = await openListening();
  expect(await third.link.report([closing(far)])).toEqual([{ ok: false }]);
  await third.coordinator.stop({ now: true });
});
