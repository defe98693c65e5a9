import { systemClock, type Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createScope, type Scope } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, settings } from '../frontier/suite/world.fixture.ts';
import { openStore } from '../redis/store.ts';
import { scopePreviewStep, type ScopePreviewStep } from './scope-preview.ts';
import { createScopeSweep } from './scope-sweep.ts';

const seed = 'https://a.example/' as Url;
const servers = redisForFile({ settings: { appendonly: 'no' } });

const stores: Record<string, () => Promise<Frontier>> = {
  SQLite: () => Promise.resolve(openSqliteFrontier({ path: ':memory:', clock: testClock() })),
  async Redis() {
    const { url } = await servers();
    const store = await openStore({ url, replicas: 0, clock: systemClock() });
    await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
    return await openRedisFrontier({ store, clock: testClock(), time: 'given', groups: 16 });
  },
};

interface Wish {
  scope?: Record<string, unknown>;
  limits?: Record<string, unknown>;
}

function scopeOf(wish: Wish): Scope {
  return createScope(resolveJob({ name: 'x', seeds: [seed], contact: 'me@a.example', ...wish }), [seed]);
}

/** More than one read of several hosts, kinds and depths, and the seeds. */
async function filled(open: () => Promise<Frontier>): Promise<Frontier> {
  const frontier = await open();
  await openSeeded(frontier, { ...settings, id: crawlA });
  await frontier.offer(crawlA, [offerOf(seed), offerOf(`${seed}old/seed`)]);
  for (const [host, depth] of [
    ['a.example', 1],
    ['www.a.example', 2],
    ['shop.a.example', 3],
    ['b.example', 1],
  ] as const) {
    const urls = ['old', 'new', 'news'].flatMap((folder) =>
      Array.from({ length: 210 }, (_, n) => `https://${host}/${folder}/${n}`),
    );
    await frontier.offer(
      crawlA,
      urls.map((url) => offerOf(url, { depth })),
    );
  }
  const pictures = Array.from({ length: 50 }, (_, n) => `https://cdn.example/old/${n}.png`);
  await frontier.offer(
    crawlA,
    pictures.map((url) => offerOf(url, { kind: 'requisite', depth: 1 })),
  );
  return frontier;
}

/** All steps. A clock that runs fast leaves each of them a single read. */
async function previewed(frontier: Frontier, scope: Scope): Promise<{ steps: ScopePreviewStep[] }> {
  const steps: ScopePreviewStep[] = [];
  let nowMs = 0;
  const clock = { ...testClock(), now: () => (nowMs += 1_000) };
  for (let after: string | undefined = ''; after !== undefined; after = steps.at(-1)?.next)
    steps.push(await scopePreviewStep({ frontier, crawl: crawlA, scope, after, clock }));
  return { steps };
}

function sums(steps: readonly ScopePreviewStep[]) {
  const rules = new Map<string, number>();
  const sum = { dropped: 0, restored: 0, queued: 0, refused: 0 };
  for (const step of steps) {
    sum.dropped += step.dropped;
    sum.restored += step.restored;
    sum.queued += step.looked.queued;
    sum.refused += step.looked.refused;
    for (const { rule, urls } of step.rules) rules.set(rule, (rules.get(rule) ?? 0) + urls);
  }
  return { ...sum, rules: Object.fromEntries(rules) };
}

/** What an edit really does: the sweep of a crawl, which knows nothing of previews. */
async function swept(frontier: Frontier, scope: Scope): Promise<{ dropped: number; restored: number }> {
  const done: { dropped: number; restored: number }[] = [];
  let pending: number | undefined = 1;
  const sweep = createScopeSweep({
    crawl: crawlA,
    frontier,
    scope: () => scope,
    entry: {
      isListed: true,
      pendingSweep: () => Promise.resolve(pending),
      swept(_, { dropped, restored }) {
        done.push({ dropped, restored });
        pending = undefined;
        return Promise.resolve();
      },
    },
    clock: testClock(),
    duty: undefined,
    queued: () => undefined,
    failed(error) {
      throw error;
    },
  });
  await sweep.finish();
  await sweep.stop();
  return done[0] ?? { dropped: -1, restored: -1 };
}

/** Each is put in force after the one before it: what was refused may come back. */
const wishes: Wish[] = [
  { scope: { exclude: ['/old/**'], requisites: true } },
  { scope: { stay: 'host', requisites: true } },
  { scope: { stay: 'web', include: ['/new/**', { regex: 'SHOP', flags: 'i' }] } },
  { scope: { stay: 'web', requisites: true }, limits: { depth: 1, cost: 0 } },
  { scope: { stay: 'web', requisites: true } },
];

describe.each(Object.keys(stores))('on %s', (name) => {
  it('says what a sweep then does, for every scope after another', async () => {
    const frontier = await filled(stores[name] as () => Promise<Frontier>);
    for (const wish of wishes) {
      const scope = scopeOf(wish);
      const { queued, refused } = await frontier.balance(crawlA);
      const { steps } = await previewed(frontier, scope);
      const told = sums(steps);
      expect(await frontier.balance(crawlA)).toMatchObject({ queued });
      expect([told.queued, told.refused]).toEqual([queued, refused]);
      expect({ dropped: told.dropped, restored: told.restored }).toEqual(await swept(frontier, scope));
      const byRule = Object.values(told.rules).reduce((sum, urls) => sum + urls, 0);
      expect(byRule).toBe(told.dropped);
      expect(steps.length).toBeGreaterThan(2);
    }
    expect(await frontier.balance(crawlA)).toMatchObject({ refused: 0 });
    await frontier.close();
  });

  it('names the rule that decides, with examples', async () => {
    const frontier = await filled(stores[name] as () => Promise<Frontier>);
    const scope = scopeOf({ scope: { stay: 'site', exclude: ['/old/**', '/news/1*'], requisites: true } });
    const { steps } = await previewed(frontier, scope);
    const { rules, dropped } = sums(steps);
    expect(rules).toEqual({
      // 630 of the other site; of the three hosts here 210 each, and the pictures.
      'scope.stay: site': 630,
      'scope.exclude: /old/**': 680,
      'scope.exclude: /news/1*': 3 * 111,
    });
    expect(dropped).toBe(630 + 680 + 333);
    const examples = steps.flatMap((step) => step.rules.flatMap((rule) => rule.examples));
    expect(examples.length).toBeGreaterThan(3);
    const isOut = (url: string) => /b\.example|\/old\/|\/news\/1/.test(url) && !url.endsWith('/seed');
    expect(examples.filter((url) => !isOut(url))).toEqual([]);
    await frontier.close();
  });
});

it('counts what rules beyond the first forty keep out, and cuts long ones', async () => {
  const frontier = await filled(stores['SQLite'] as () => Promise<Frontier>);
  const exact = Array.from({ length: 60 }, (_, n) => `https://a.example/old/${n}`);
  const scope = scopeOf({ scope: { stay: 'web', requisites: true, exclude: exact } });
  const step = await scopePreviewStep({ frontier, crawl: crawlA, scope, after: '', clock: testClock() });
  expect([step.dropped, step.rules.length, step.otherRules, step.next]).toEqual([60, 40, 20, undefined]);
  const long = scopeOf({
    scope: { stay: 'web', include: Array.from({ length: 90 }, (_, n) => `/x/${n}/**`) },
  });
  const { rules } = await scopePreviewStep({
    frontier,
    crawl: crawlA,
    scope: long,
    after: '',
    clock: testClock(),
  });
  expect(Math.max(...rules.map(({ rule }) => rule.length))).toBe(300);
  await frontier.close();
});

it('refuses a cursor of something else', async () => {
  const frontier = await filled(stores['SQLite'] as () => Promise<Frontier>);
  const at = (after: string) =>
    scopePreviewStep({ frontier, crawl: crawlA, scope: scopeOf({}), after, clock: testClock() });
  for (const after of ['x', 'constructor', 'qnonsense', 'r%'])
    await expect(at(after)).rejects.toMatchObject({ code: 'usage' });
  await frontier.close();
});

it('gives others their turn where the patterns of a scope are slow', async () => {
  const frontier = await filled(stores['SQLite'] as () => Promise<Frontier>);
  const scope = scopeOf({ scope: { exclude: ['/old/**'] } });
  let isOver = false;
  let turns = 0;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const slow: Scope = {
    decide(link) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      return scope.decide(link);
    },
  };
  const { steps } = await previewed(frontier, slow);
  isOver = true;
  expect(sums(steps).dropped).toBeGreaterThan(500);
  expect(turns).toBeGreaterThan(60);
});
