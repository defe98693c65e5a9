import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlState, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Catalog } from '../catalog/catalog.ts';
import { newEntry } from '../catalog/catalog.suite.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { gateWith } from '../admission/job-gate.fixture.ts';
import { createCatalogRuns } from './catalog-runs.ts';
import { someSchedule } from './schedule.fixture.ts';

let folder: string;
let catalog: Catalog;
let state: CrawlState | undefined;
let opened: string[];
let closed: string[];
let fault: Error | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-runs-'));
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  state = 'running';
  opened = [];
  closed = [];
  fault = undefined;
});
afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = { dueMs: 5, count: 1, name: 'nightly 1', nonce: 'derived-from-instant' };
const record = { kind: 'run', dueMs: 5, name: run.name, nonce: run.nonce, startedAtMs: 5 } as const;
const schedule = someSchedule({
  tags: ['night'],
  run: { job: 'seeds: [https://a.test/]\nlimits: {pages: 5}\n' },
});
const doc = { schedule, team: 'press', powers: 'operator' } as const;

let isFull = false;
const runs = () =>
  createCatalogRuns({
    catalog,
    clock: testClock(),
    durability: 'strict',
    baseFolder: folder,
    jobs: gateWith({ deep: { policy: { limits: { pages: 4 } } } }),
    mayOpen: () => (isFull ? Promise.reject(new Error('the team has too many')) : Promise.resolve()),
    unbegun: true,
    stateOf: () => Promise.resolve(state),
    open: ({ name, previous, unbegun }) => {
      opened.push(`${name} after ${previous?.nonce}, ${unbegun}`);
      return fault ? Promise.reject(fault) : Promise.resolve();
    },
    close: ({ name }) => {
      closed.push(name);
      return Promise.resolve();
    },
  });

const entries = async () => (await catalog.list({ after: '', limit: 10, states: [], tags: [] })).entries;

it('enters no run that its team may not have open, and goes on with one that it has', async () => {
  isFull = true;
  onTestFinished(() => void (isFull = false));
  await expect(runs().start(run, doc)).rejects.toThrow('too many');
  expect(await entries()).toEqual([]);
  isFull = false;
  await runs().start(run, doc);
  isFull = true;
  expect(await runs().start(run, doc)).toMatchObject({ kind: 'stands' });
});

it('creates one crawl, however often it is started', async () => {
  await catalog.create(newEntry('nightly 0'));
  const before = (await catalog.find('nightly 0'))!;
  for (let n = 0; n < 3; n++)
    expect(await runs().start({ ...run, previous: 'nightly 0' }, doc)).toEqual({
      kind: 'stands',
      name: run.name,
      nonce: run.nonce,
    });
  expect(await entries()).toMatchObject([
    { name: 'nightly 0' },
    {
      name: run.name,
      nonce: run.nonce,
      previous: { id: before.id, nonce: before.nonce },
      tags: ['night'],
      seeds: ['https://a.test/'],
      job: { name: run.name, team: 'press', limits: { pages: 5 } },
    },
  ]);
  expect(new Set(opened)).toEqual(new Set([`nightly 1 after ${before.nonce}, true`]));
});

it('makes a job of a policy and seeds', async () => {
  await runs().start(run, {
    ...doc,
    schedule: someSchedule({ run: { policy: 'deep', seeds: ['https://b.test/'] } }),
  });
  expect(await entries()).toMatchObject([{ seeds: ['https://b.test/'], job: { limits: { pages: 4 } } }]);
});

it('takes another name where a crawl has its own', async () => {
  await catalog.create(newEntry(run.name));
  const answers = [await runs().start(run, doc), await runs().start(run, doc)];
  expect(answers).toEqual(Array(2).fill({ kind: 'stands', name: 'nightly 1-derived-', nonce: run.nonce }));
  expect(await entries()).toHaveLength(2);
});

it('does not create a deleted run again', async () => {
  await runs().start(run, doc);
  const { id, version } = (await catalog.find(run.name))!;
  await catalog.change(id, version, { wanted: 'deleted' });
  expect(await runs().start(run, doc)).toEqual({ kind: 'deleted' });
  await catalog.remove(run.nonce);
  expect(await runs().start(run, doc)).toEqual({ kind: 'deleted' });
  expect(await entries()).toEqual([]);
  expect(await runs().look(record)).toEqual({ kind: 'over', outcome: 'deleted' });
});

it('sees what the run does, and takes part in it where it should run', async () => {
  await runs().start(run, doc);
  opened = [];
  expect(await runs().look(record)).toEqual({ kind: 'running' });
  expect(opened).toHaveLength(1);
  state = 'limited';
  expect(await runs().look(record)).toEqual({ kind: 'over', outcome: 'limited' });
  state = 'paused';
  expect(await runs().look(record)).toEqual({ kind: 'paused' });
  expect(opened).toHaveLength(1);
});

const second = { dueMs: 9, count: 2, name: 'nightly 2', nonce: 'of-the-second', replaces: run };

it('stops the run that it replaces, however often it is started', async () => {
  await runs().start(run, doc);
  await runs().start(second, doc);
  await runs().start(second, doc);
  expect(new Set(closed)).toEqual(new Set([run.name]));
  expect(await runs().look(record)).toEqual({ kind: 'over', outcome: 'stopped' });
  const another = { name: 'another', nonce: 'x' };
  expect(await runs().start({ ...second, replaces: another }, doc)).toMatchObject({ kind: 'stands' });
});

it('stops nothing for a run whose job is refused by now', async () => {
  await runs().start(run, doc);
  const job = { seeds: ['https://b.test/'], team: 'another' };
  const refused = { ...doc, schedule: someSchedule({ run: { job } }) };
  await expect(runs().start(second, refused)).rejects.toThrow('belongs to the team press');
  expect([closed, (await catalog.find(run.name))?.wanted]).toEqual([[], 'running']);
});

it('leaves a run that is over as it ended, though another one replaces it', async () => {
  await runs().start(run, doc);
  const { id, version } = (await catalog.find(run.name))!;
  await catalog.change(id, version, { wanted: 'finished' });
  await runs().start(second, doc);
  expect([closed, (await catalog.find(run.name))?.wanted]).toEqual([[], 'finished']);
});

it('leaves nothing in the catalog of a run that cannot be opened, and does not create it later', async () => {
  state = undefined;
  fault = new WebfarerError('usage', 'the disk is read-only');
  await expect(runs().start(run, doc)).rejects.toThrow('the disk is read-only');
  fault = undefined;
  expect(await runs().start(run, doc)).toEqual({ kind: 'deleted' });
  expect(await catalog.find(run.name)).toBeUndefined();
});

it('leaves a run to others that have begun it, and to a later try where the store is in trouble', async () => {
  fault = new WebfarerError('usage', 'the disk is read-only');
  expect(await runs().start(run, doc)).toMatchObject({ kind: 'stands' });
  fault = new WebfarerError('store-silent', 'no answer');
  await expect(runs().start(run, doc)).rejects.toThrow('no answer');
  await expect(runs().look(record)).rejects.toThrow('no answer');
  fault = new WebfarerError('usage', 'the disk is read-only');
  expect(await runs().look(record)).toEqual({ kind: 'running' });
});

it('knows by the catalog that a run is over, also where nobody has it open', async () => {
  await runs().start(run, doc);
  const { id, version } = (await catalog.find(run.name))!;
  await catalog.change(id, version, { wanted: 'finished' });
  [state, opened] = [undefined, []];
  expect(await runs().look(record)).toEqual({ kind: 'over', outcome: 'finished' });
  expect(opened).toEqual([]);
});
