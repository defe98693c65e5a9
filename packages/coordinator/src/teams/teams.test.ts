import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Registry } from '../registry/registry.ts';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { openTeams, type Teams } from './teams.ts';
import { type RegistryWatch, watchRegistry } from '../registry/watch-registry.ts';

const clock = systemClock();
let nowMs: number;
let folder: string;
let registries: Registry[];
let watch: RegistryWatch;
/** Those of two coordinators. */
let teams: [Teams, Teams];
const active = new Set<string>();

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  active.clear();
  folder = mkdtempSync(join(tmpdir(), 'webfarer-teams-'));
  const time = { wall: () => nowMs };
  registries = [0, 1].map(() => openSqliteRegistry({ path: join(folder, 'registry.db'), clock: time }));
  watch = watchRegistry({ registry: registries[0]!, clock, failed: () => undefined });
  teams = registries.map((registry) =>
    openTeams({
      registry,
      watch,
      clock: time,
      isActive: async (crawl) => active.has(crawl),
      isOpen: (crawl) => active.has(crawl),
      standing: false,
    }),
  ) as [Teams, Teams];
});
afterEach(async () => {
  await watch.stop();
  for (const registry of registries) await registry.close();
  rmSync(folder, { recursive: true });
});

const claim = (crawl: string, isNew = true, seeds: unknown = []) => ({
  team: 'red',
  crawl,
  seeds,
  wasOpen: false,
  isNew: async () => isNew,
});
const seen = (crawl: string, pages: number, bytes = 0, id = `id of ${crawl}`) => ({
  crawl,
  id,
  pages,
  bytes,
});
const describeTeam = async (quotas: object, weight = 1) =>
  await teams[0].put('red', { note: '', weight, quotas });
const later = (ms: number) => (nowMs += ms);

it('counts nothing of a team that nobody has described', async () => {
  await teams[0].claim(claim('a'));
  expect(await teams[0].quotasOf('red')).toBeUndefined();
  expect(await registries[0]?.get('team-usage', 'red')).toBeUndefined();
});

it('lets as many crawls be created at once as the quota says, on all coordinators together', async () => {
  await describeTeam({ crawls: 3 });
  const claims = Array.from({ length: 8 }, (_, n) => teams[n % 2]!.claim(claim(`c${n}`)));
  const answers = await Promise.allSettled(claims);
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  expect(refused).toHaveLength(5);
  for (const error of refused) expect(error).toMatchObject({ code: 'quota' });
});

it('counts crawls that are not over, and the same crawl once', async () => {
  await describeTeam({ crawls: 1 });
  await teams[0].claim(claim('a'));
  active.add('a');
  later(3_600_000);
  await teams[1].claim(claim('a'));
  await expect(teams[0].claim(claim('b'))).rejects.toThrow(
    'the team red has 1 open crawls, and its quota is 1',
  );
  active.delete('a');
  await teams[0].claim(claim('b'));
});

it('frees the place of a crawl that was not created after all', async () => {
  await describeTeam({ crawls: 1 });
  await teams[0].claim(claim('a'));
  await teams[0].giveBack(claim('a'));
  await teams[0].claim(claim('b'));
  active.add('b');
  await teams[0].giveBack(claim('b'));
  await expect(teams[0].claim(claim('c'))).rejects.toMatchObject({ code: 'quota' });
});

it('counts each page once, whichever coordinators see it, and however late', async () => {
  await describeTeam({});
  await teams[0].claim(claim('a'));
  await teams[0].count('red', [seen('a', 100, 1_000)]);
  await teams[1].count('red', [seen('a', 90, 900)]);
  expect(await teams[0].used('red')).toMatchObject({ pagesToday: 100, bytesToday: 1_000 });
  await Promise.all([0, 1, 0, 1].map((n) => teams[n as 0 | 1].count('red', [seen('a', 150, 1_500)])));
  expect(await teams[0].used('red')).toMatchObject({ pagesToday: 150, bytesToday: 1_500 });
  // What is seen again changes nothing, so it costs no write.
  const before = await registries[0]?.get('team-usage', 'red');
  await teams[1].count('red', [seen('a', 150, 1_500)]);
  expect(await registries[0]?.get('team-usage', 'red')).toEqual(before);
});

it('gives nothing back when a crawl is deleted, or created again under its name', async () => {
  await describeTeam({ pagesPerMonth: 1_000 });
  await teams[0].claim(claim('a'));
  await teams[0].count('red', [seen('a', 100)]);
  await teams[0].claim(claim('a'));
  await teams[0].count('red', [seen('a', 5, 0, 'another')]);
  expect(await teams[1].used('red')).toMatchObject({ pagesThisMonth: 105 });
});

it('begins with what a crawl has that was there before its team was described', async () => {
  await describeTeam({});
  await teams[0].count('red', [seen('old', 10_000)]);
  await teams[0].count('red', [seen('old', 10_007)]);
  active.add('over');
  await teams[0].claim(claim('over', false));
  await teams[0].count('red', [seen('over', 500)]);
  await teams[0].count('red', [seen('over', 501)]);
  expect(await teams[0].used('red')).toMatchObject({ pagesToday: 8 });
});

it('begins a day and a month with nothing, in UTC', async () => {
  nowMs = Date.UTC(2026, 0, 31, 23, 59);
  await describeTeam({});
  await teams[0].claim(claim('a'));
  await teams[0].count('red', [seen('a', 100)]);
  later(60_000);
  expect(await teams[0].used('red')).toMatchObject({ pagesToday: 0, pagesThisMonth: 0 });
  await teams[0].count('red', [seen('a', 107)]);
  later(86_400_000);
  expect(await teams[0].used('red')).toMatchObject({ pagesToday: 0, pagesThisMonth: 7 });
});

it('refuses new crawls while a quota is used up, and says until when', async () => {
  await describeTeam({ pagesPerDay: 100, bytesPerMonth: 1_000_000 });
  await teams[0].claim(claim('a'));
  active.add('a');
  await teams[0].count('red', [seen('a', 99, 10)]);
  await teams[1].claim(claim('b'));
  await teams[0].count('red', [seen('a', 103, 10)]);
  await expect(teams[1].claim(claim('c'))).rejects.toMatchObject({
    code: 'quota',
    message: 'the team red has fetched 103 of 100 pages today',
    next: 'Create the crawl after 2026-01-02 00:00 UTC, or ask an admin to raise pagesPerDay.',
  });
  // One that runs already stays, to be held.
  await teams[1].claim(claim('a'));
  later(86_400_000);
  await teams[1].claim(claim('c'));
});

it('refuses more crawls at once than a document of the registry can hold', async () => {
  await describeTeam({});
  const name = (n: number) => `${'x'.repeat(150)}${n}`;
  const crawls = Array.from({ length: 800 }, (_, n) => ({ crawl: name(n), atMs: nowMs, pages: 0, bytes: 0 }));
  const empty = { pages: 0, bytes: 0 };
  const usage = { crawls, day: { of: '2026-01-01', ...empty }, month: { of: '2026-01', ...empty } };
  await registries[0]?.put('team-usage', 'red', 0, usage);
  await expect(teams[0].claim(claim('one more'))).rejects.toMatchObject({ code: 'quota' });
});

/** The teams of a coordinator that serves operators. */
const standing = () =>
  openTeams({
    registry: registries[0]!,
    watch,
    clock: { wall: () => nowMs },
    isActive: async (crawl) => active.has(crawl),
    isOpen: (crawl) => active.has(crawl),
    standing: true,
  });
async function open(of: Teams, crawls: number, seeds: unknown = []): Promise<void> {
  for (let n = 0; n < crawls; n++) {
    await of.claim(claim(`c${n}`, true, seeds));
    active.add(`c${n}`);
  }
}

it('has defaults for the open crawls and the seeds of a team that nobody has described', async () => {
  const here = standing();
  await open(here, 399, ['https://example.org/', { sitemap: 'https://a.org/' }]);
  await here.claim(claim('last'));
  active.add('last');
  expect(await here.used('red')).toMatchObject({ crawls: 400, seedBytes: 399 * 34 });
  await expect(here.claim(claim('more'))).rejects.toMatchObject({
    code: 'quota',
    message: 'the team red has 400 open crawls, and its quota is 400',
    next: 'Wait until crawls of the team are over, stop one, or ask an admin to raise crawls of the team: PUT /v1/teams/red.',
  });
  await expect(here.mayOpen({ name: 'more', job: { team: 'red' } })).rejects.toMatchObject({ code: 'quota' });
  // Another team is not affected, nor one that is open already, nor one that was open at an earlier start.
  await here.claim({ ...claim('of blue'), team: 'blue' });
  await here.claim(claim('c3'));
  await here.claim({ ...claim('taken up'), wasOpen: true });
  active.delete('c3');
  active.delete('c4');
  await here.claim(claim('more'));
  expect(await registries[0]?.get('team-usage', 'red')).toBeUndefined();
});

it('counts the bytes of the seeds of open crawls together', async () => {
  const here = standing();
  const long = ['x'.repeat(12_000_000)];
  await here.claim(claim('a', true, long));
  active.add('a');
  await expect(here.claim(claim('b', true, long))).rejects.toThrow(
    'the team red has 12,000,000 bytes of seeds in open crawls, this crawl has 12,000,000 more, and the quota is 20,000,000',
  );
  await here.claim(claim('c', true, ['https://example.org/']));
  active.delete('a');
  await here.claim(claim('b', true, long));
});

it('lets a team have thousands of open crawls if an admin says so', async () => {
  const here = standing();
  await describeTeam({ crawls: 3_000 });
  await open(here, 3_000);
  await expect(here.claim(claim('more'))).rejects.toThrow('has 3,000 open crawls, and its quota is 3,000');
  await describeTeam({ crawls: 3_001 });
  await here.claim(claim('more'));
});

it('holds a crawl by itself to no default', async () => {
  await open(teams[0], 401);
});

it('knows the weight of a team within seconds of a change', async () => {
  expect(teams[0].weightOf('red')).toBe(1);
  await describeTeam({}, 3);
  await expect.poll(() => teams[0].weightOf('red'), { timeout: 30_000 }).toBe(3);
  expect(await teams[0].remove('red')).toBe(true);
  await expect.poll(() => teams[0].weightOf('red'), { timeout: 30_000 }).toBe(1);
});

it('changes a team by its version', async () => {
  const doc = { note: '', weight: 2, quotas: {} };
  const { doc: first } = await teams[0].put('red', doc, 0);
  expect(await teams[0].put('red', doc, 0)).toMatchObject({ kind: 'stale' });
  expect(await teams[0].put('red', doc, first?.version ?? 0)).toMatchObject({ kind: 'changed' });
  expect(await teams[0].list({ after: '', limit: 10 })).toMatchObject({
    teams: [{ name: 'red', weight: 2 }],
  });
});
