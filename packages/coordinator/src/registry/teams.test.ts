import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Registry } from './registry.ts';
import { openSqliteRegistry } from './sqlite-registry.ts';
import { openTeams, type Teams } from './teams.ts';
import { type RegistryWatch, watchRegistry } from './watch-registry.ts';

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
  const time = { now: () => nowMs };
  registries = [0, 1].map(() => openSqliteRegistry({ path: join(folder, 'registry.db'), clock: time }));
  watch = watchRegistry({ registry: registries[0]!, clock, failed: () => undefined });
  teams = registries.map((registry) =>
    openTeams({ registry, watch, clock: time, isActive: async (crawl) => active.has(crawl) }),
  ) as [Teams, Teams];
});
afterEach(async () => {
  await watch.stop();
  for (const registry of registries) await registry.close();
  rmSync(folder, { recursive: true });
});

const claim = (crawl: string, pages?: number, bytes?: number) => ({ team: 'red', crawl, pages, bytes });
const describeTeam = async (quotas: object, weight = 1) =>
  await teams[0].put('red', { note: '', weight, quotas });
const later = (ms: number) => (nowMs += ms);

it('allows everything where no quota is set, and notes nothing', async () => {
  await teams[0].claim(claim('a'));
  await describeTeam({});
  await teams[0].claim(claim('a'));
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
  await expect(teams[0].claim(claim('b'))).rejects.toThrow('quota of 1 crawls at once');
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

it('adds up the pages of crawls that are not over', async () => {
  await describeTeam({ urls: 100 });
  await teams[0].claim(claim('a', 60));
  active.add('a');
  await expect(teams[0].claim(claim('b', 50))).rejects.toThrow('uses 60 of it');
  await expect(teams[0].claim(claim('b'))).rejects.toThrow('the job has no limit');
  await teams[0].claim(claim('b', 40));
});

it('adds up the bytes of all crawls of a day, also of those that are over', async () => {
  await describeTeam({ bytesPerDay: 1_000 });
  await teams[0].claim(claim('a', 1, 700));
  later(3_600_000);
  await expect(teams[0].claim(claim('b', 1, 400))).rejects.toThrow('bytes a day');
  later(86_400_000 - 3_600_000);
  await teams[0].claim(claim('b', 1, 400));
});

it('knows the weight of a team within seconds of a change', async () => {
  expect(teams[0].weightOf('red')).toBe(1);
  await describeTeam({}, 3);
  await expect.poll(() => teams[0].weightOf('red'), { timeout: 5_000 }).toBe(3);
  expect(await teams[0].remove('red')).toBe(true);
  await expect.poll(() => teams[0].weightOf('red'), { timeout: 5_000 }).toBe(1);
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
