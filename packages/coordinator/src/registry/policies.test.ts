import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderRegistry } from './folder-registry.ts';
import { openPolicies, type Policies } from './policies.ts';
import type { Registry } from './registry.ts';

const clock = systemClock();
let folder: string;
let registry: Registry;
let policies: Policies;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-policies-'));
  registry = folderRegistry(folder, clock);
  policies = openPolicies(registry, clock);
});
afterEach(async () => {
  await registry.close();
  rmSync(folder, { recursive: true });
});

const by = { by: 'wf_1', byAdmin: false, team: 'default', note: '' };
const pages = (n: number) => ({ ...by, policy: { limits: { pages: n } } });
const all = async (name: string) =>
  (await policies.versions(name, { after: 0, limit: 100 })).map(({ version, policy }) => [
    version,
    policy.limits?.pages,
  ]);

it('keeps every version as it was written', async () => {
  for (const n of [10, 20, 30]) await policies.write('gentle', pages(n));
  expect(await policies.get({ name: 'gentle' })).toMatchObject({
    version: 3,
    policy: { limits: { pages: 30 } },
  });
  expect(await policies.get({ name: 'gentle', version: 1 })).toMatchObject({
    policy: { limits: { pages: 10 } },
  });
  expect(await policies.get({ name: 'gentle', version: 4 })).toBeUndefined();
  expect(await all('gentle')).toEqual([
    [1, 10],
    [2, 20],
    [3, 30],
  ]);
  expect(await policies.versions('gentle', { after: 1, limit: 1 })).toMatchObject([{ version: 2 }]);
});

it('gives each version to one of those who write at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => policies.write('gentle', { ...pages(n), latest: 0 })),
  );
  const written = answers.flatMap((answer) => (answer.kind === 'written' ? [answer.version] : []));
  expect(written).toHaveLength(1);
  for (const { version } of answers) expect(version).toEqual(written[0]);
  const more = await Promise.all(
    Array.from({ length: 8 }, (_, n) => policies.write('gentle', pages(100 + n))),
  );
  const numbers = more.map(({ version }) => version?.version ?? 0);
  expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await all('gentle')).toEqual([
    [1, written[0]?.policy.limits?.pages],
    ...more
      .map(({ version }) => [version?.version ?? 0, version?.policy.limits?.pages])
      .toSorted((a, b) => Number(a[0]) - Number(b[0])),
  ]);
});

it('announces a version whose writer died before it could', async () => {
  await policies.write('gentle', pages(10));
  const value = { name: 'gentle', version: 2, createdAtMs: 0, ...pages(20) };
  await registry.put('policy-version', 'gentle@000000002', 0, value);
  expect(await policies.get({ name: 'gentle' })).toMatchObject({ version: 1 });
  expect(await policies.write('gentle', { ...pages(30), latest: 1 })).toMatchObject({
    kind: 'stale',
    version: { version: 2 },
  });
  expect(await policies.write('gentle', pages(30))).toMatchObject({ version: { version: 3 } });
});

it('continues the numbers of a policy that was removed', async () => {
  await policies.write('gentle', pages(10));
  expect(await policies.remove('gentle')).toBe(true);
  expect(await policies.remove('gentle')).toBe(false);
  expect(await policies.get({ name: 'gentle' })).toBeUndefined();
  expect(await policies.list({ after: '', limit: 10 })).toEqual({ policies: [], next: undefined });
  expect(await policies.get({ name: 'gentle', version: 1 })).toBeDefined();
  await policies.write('gentle', { ...pages(20), latest: 0 });
  expect(await policies.list({ after: '', limit: 10 })).toMatchObject({ policies: [{ version: 2 }] });
});

it('refuses a text that is not a policy, and names that a job could not say', async () => {
  await expect(policies.write('gentle', { ...by, policy: { seeds: ['a.test'] } })).rejects.toMatchObject({
    code: 'job-invalid',
  });
  for (const name of ['', 'a@1', 'a/b', ' a', 'a\n', 'x'.repeat(101)])
    await expect(policies.write(name, pages(1))).rejects.toMatchObject({ code: 'usage' });
});

it('puts its fields into the jobs that name it, in the latest version or the one a crawl has', async () => {
  await policies.write('gentle', pages(10));
  await policies.write('gentle', pages(20));
  const job = { seeds: ['https://a.test/'], policy: 'gentle' };
  const resolved = (version: number, n: number) => ({
    seeds: job.seeds,
    policy: { name: 'gentle', version },
    limits: { pages: n },
  });
  expect((await policies.resolve(job)).whole).toEqual(resolved(2, 20));
  expect((await policies.resolve({ ...job, policy: 'gentle@1' })).whole).toEqual(resolved(1, 10));
  expect((await policies.resolve(job, { name: 'gentle', version: 1 })).whole).toEqual(resolved(1, 10));
  expect((await policies.resolve(job, { name: 'other', version: 1 })).whole).toEqual(resolved(2, 20));
  expect((await policies.resolve(resolved(1, 10))).whole).toEqual(resolved(1, 10));
  await expect(policies.resolve({ ...job, policy: 'none' })).rejects.toMatchObject({ code: 'not-found' });
});

it('makes no file for a job that names a policy in vain', async () => {
  await expect(policies.resolve({ seeds: ['a.test'], policy: 'x' })).rejects.toThrow('no policy named x');
  expect(existsSync(join(folder, 'registry.db'))).toBe(false);
});
