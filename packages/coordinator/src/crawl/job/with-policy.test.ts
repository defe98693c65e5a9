import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCoordinator } from '../../coordinator.ts';
import type { Coordinator } from '../../coordinator-parts.ts';
import { readManifest } from '../../folder/manifest.ts';

let folder: string;
let coordinator: Coordinator;
const open = async () => (coordinator = await openCoordinator({ folder, version: '0' }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-with-policy-'));
  await open();
});
afterEach(async () => {
  await coordinator.stop();
  rmSync(folder, { recursive: true, force: true });
});

const input = {
  name: 'shop',
  seeds: ['http://127.0.0.1:9/'],
  policy: 'gentle',
  politeness: { gap: '2s' },
  fetch: { allowPrivate: ['127.0.0.0/8'] },
};
const create = () => coordinator.create({ input, baseFolder: folder });
const write = (pages: number) =>
  coordinator.policies.write('gentle', {
    by: 'test',
    byAdmin: false,
    team: 'default',
    note: '',
    policy: { limits: { pages }, politeness: { gap: '9s', slowFactor: 4 } },
  });
const kept = async () => (await readManifest(join(folder, 'crawls', 'shop')))?.job;

it('a crawl keeps the policy in the version that it was created with', async () => {
  await write(7);
  await create();
  const whole = {
    name: 'shop',
    seeds: input.seeds,
    policy: { name: 'gentle', version: 1 },
    limits: { pages: 7 },
    politeness: { gap: '2s', slowFactor: 4 },
    fetch: input.fetch,
  };
  expect(await kept()).toEqual(whole);
  await write(8);
  await coordinator.stop();
  await open();
  await create();
  expect(await kept()).toEqual(whole);
});

it('a crawl with a policy that there is none of is not created', async () => {
  await expect(create()).rejects.toThrow('there is no policy named gentle');
  expect(coordinator.crawls()).toEqual([]);
  await write(7);
  await create();
});

it('quotas of a team hold for the crawls of a coordinator, and a crawl that failed does not count', async () => {
  await coordinator.teams.put('red', { note: '', weight: 1, quotas: { crawls: 1 } });
  const begin = (name: string, more = {}) =>
    coordinator.create({
      input: { ...input, policy: undefined, name, team: 'red', ...more },
      baseFolder: folder,
    });
  await expect(begin('bad', { seeds: [{ file: 'missing.txt' }] })).rejects.toThrow();
  const { crawl } = await begin('one');
  await expect(begin('two')).rejects.toMatchObject({ code: 'quota' });
  expect(coordinator.crawls().map(({ name }) => name)).toEqual(['one']);
  expect(crawl.name).toBe('one');
});
