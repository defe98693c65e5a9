import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEventBus, sqlite } from '@webfarer/coordinator';
import { type HostLease, type LeaseReport, systemClock, type WorkerId } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Crew } from '../local/crew.ts';
import { openLocal } from '../local/local-crawl.ts';
import type { OpenCrewOptions } from '../local/open-crew.ts';

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

/** Opens the folder as a coordinator, with a crew that does nothing by itself. */
async function openCoordinator() {
  const job = resolveJob(input);
  const parts = Promise.withResolvers<OpenCrewOptions>();
  const crew: Crew = {
    start: () => {},
    wake: () => {},
    release: () => {},
    drop: () => {},
    stop: async () => {},
    look: async () => ({ inFlight: 0, waiting: [], archive: { files: 0, bytes: 0 } }),
    pause: undefined,
  };
  const network = {
    member,
    async crew(options: OpenCrewOptions) {
      parts.resolve(options);
      return crew;
    },
    events: createEventBus({ clock: systemClock(), failed: parts.reject }),
  };
  const { run } = await openLocal({ job, input, folder, userAgent: 'test', clock: systemClock(), network });
  const { link, frontier, crawl } = await parts.promise;
  await expect
    .poll(async () => (await frontier.balance(crawl)).queued + (await frontier.balance(crawl)).leased)
    .toBe(2);
  // A crawl that was stopped is not leased from before it runs again.
  await expect.poll(() => frontier.state(crawl)).toBe('running');
  return { run, link, frontier, crawl };
}

async function leaseOne(
  worker: string,
  { link }: Awaited<ReturnType<typeof openCoordinator>>,
): Promise<HostLease> {
  const { leases } = await link.lease({ worker: worker as WorkerId, hosts: 1, urlsPerHost: 1 });
  return leases[0] as HostLease;
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

it('keeps the leases of workers that may be alive, and those of its own until it has delivered', async () => {
  const first = await openCoordinator();
  const far = await leaseOne('far-away', first);
  const own = await leaseOne(member, first);
  await first.run.stop();
  const second = await openCoordinator();
  expect((await second.frontier.balance(second.crawl)).leased).toBe(2);
  expect((await second.link.report([own, far].map(closing))).map(({ ok }) => ok)).toEqual([true, true]);
  await second.run.stop();
});

it('would take them for dead in a folder that only one machine ever used', async () => {
  const first = await openCoordinator();
  const far = await leaseOne('far-away', first);
  await first.run.stop();
  const file = join(folder, 'crawl.json');
  const { network: _network, ...manifest } = JSON.parse(await readFile(file, 'utf8')) as Record<
    string,
    unknown
  >;
  await writeFile(file, JSON.stringify(manifest));
  const second = await openLocal({
    job: resolveJob({ ...input, limits: { pages: 1 } }),
    input,
    folder,
    userAgent: 'test',
  });
  await second.run.stop({ now: true });
  const third = await openCoordinator();
  expect(await third.link.report([closing(far)])).toEqual([{ ok: false }]);
  await third.run.stop();
});

it('offers seeds again that were cut off, so that the crawl can finish', async () => {
  const first = await openCoordinator();
  await first.run.stop();
  // As a process leaves it that was killed before its last seed.
  const db = new (sqlite().DatabaseSync)(join(folder, 'crawl.db'));
  db.exec('UPDATE crawls SET seeding = 1');
  db.close();
  const second = await openCoordinator();
  for (const worker of ['a', 'b']) {
    const lease = await leaseOne(worker, second);
    const url = lease.entries[0]?.url as string;
    const record = {
      url,
      verdict: 'refused',
      reason: 'robots',
      kind: 'page',
      depth: 0,
      attempts: 0,
      bytes: 0,
      startedAtMs: 0,
      durationMs: 0,
    };
    const settled = [{ kind: 'outcome', url, record, offers: [], edges: [], items: [], dropped: {} }];
    await second.link.report([{ ...closing(lease), settled: settled as never }]);
  }
  expect(await second.frontier.finish(second.crawl)).toBe(true);
  await second.run.stop();
});
