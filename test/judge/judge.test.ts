import type { Url } from '@webfarer/protocol';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../fake-web/request-log.ts';
import { createWeb } from '../fake-web/web.ts';
import { holds, judge, type JudgeInput } from './judge.ts';
import type { JudgedRecord } from './judge-records.ts';
import { perfectCrawl } from './perfect-crawl.ts';

const web = createWeb({ size: 'S', seed: 3 });
const gapMs = 50;
const perfect = perfectCrawl(web, gapMs);

type Spoil = (crawl: { log: LogEntry[]; records: JudgedRecord[] }) => Partial<JudgeInput> | void;

async function spoiled(spoil: Spoil = () => {}) {
  const crawl = structuredClone(perfect);
  const changed = spoil(crawl) ?? {};
  const judgement = await judge({ web, gapMs, hostPages: web.hostBudget(), ...crawl, ...changed });
  return { judgement, holds: holds(judgement) };
}

function entryOf(log: LogEntry[], host: string, path: string): LogEntry {
  const found = log.find((entry) => entry.host === host && entry.path === path);
  if (found === undefined) throw new Error(`no request for ${host}${path}`);
  return found;
}

function recordOf(records: JudgedRecord[], url: string): JudgedRecord {
  const found = records.find((record) => record.url === url);
  if (found === undefined) throw new Error(`no record of ${url}`);
  return found;
}

/** A copy of a request at a time when its host is at rest. */
function later(log: LogEntry[], entry: LogEntry, changes: Partial<LogEntry> = {}): void {
  const startNs = 60e9 + (log.at(-1) as LogEntry).startNs;
  log.push({ ...entry, startNs, endNs: startNs + 1e6, ...changes });
}

test('a faultless crawl holds', async () => {
  const { judgement, holds: ok } = await spoiled();
  expect(judgement).toMatchObject({ lost: 0, extra: 0, duplicates: 0, wrong: 0, repeats: 0, disallowed: 0 });
  expect(judgement).toMatchObject({ gapViolations: 0, maxInFlightPerHost: 1, beforeRobots: 0, strays: 0 });
  expect(judgement.recorded).toBe(judgement.expected);
  expect(judgement.minGapMs).toBeCloseTo(50, 3);
  expect(ok).toBe(true);
});

describe('in the records it finds', () => {
  test('a lost URL', async () => {
    const { judgement, holds: ok } = await spoiled(({ records }) => void records.splice(17, 1));
    expect(judgement.lost).toBe(1);
    expect(ok).toBe(false);
  });

  test('an extra URL', async () => {
    const { judgement, holds: ok } = await spoiled(({ records }) => {
      records.push({ ...(records[0] as JudgedRecord), url: 'http://www.hub0.test/?PHPSESSID=1' as Url });
    });
    expect(judgement).toMatchObject({ extra: 1, recorded: judgement.expected + 1 });
    expect(ok).toBe(false);
  });

  test('a second record of one URL', async () => {
    const { judgement, holds: ok } = await spoiled(
      ({ records }) => void records.push(records[5] as JudgedRecord),
    );
    expect(judgement.duplicates).toBe(1);
    expect(ok).toBe(false);
  });

  test.each([
    ['verdict', { verdict: 'failed', reason: 'timeout' }],
    ['status', { status: 203 }],
    ['truncation', { truncated: 'length' }],
  ] as const)('a wrong %s', async (_, change) => {
    const { judgement, holds: ok } = await spoiled(({ records }) => {
      Object.assign(recordOf(records, 'http://www.hub0.test/'), change);
    });
    expect(judgement.wrong).toBe(1);
    expect(judgement.recordExamples.wrong[0]).toContain('http://www.hub0.test/ is ');
    expect(ok).toBe(false);
  });

  test('a refusal for the wrong reason', async () => {
    const { judgement } = await spoiled(({ records }) => {
      recordOf(records, 'http://closed0.test/').reason = 'type';
    });
    expect(judgement.recordExamples.wrong).toEqual([
      'http://closed0.test/ is refused(type), not refused(robots)',
    ]);
  });

  test('a trap that cost more than its budget, or was never tried', async () => {
    const more = await spoiled(({ records }) => {
      const home = recordOf(records, 'http://calendar0.test/');
      for (let n = 0; n < 100; n++)
        records.push({ ...home, url: `http://calendar0.test/cal/${2026 + n}/1/` as Url });
    });
    expect(more.judgement).toMatchObject({ trapViolations: 1, extra: 0 });
    expect(more.holds).toBe(false);
    const never = await spoiled(({ records }) => {
      records.splice(records.indexOf(recordOf(records, 'http://spiral0.test/')), 1);
    });
    expect(never.judgement.trapViolations).toBe(1);
  });

  test('a balance with something left', async () => {
    const balance = { known: 3, queued: 1, leased: 0, done: 2, failed: 0, refused: 0 };
    expect((await spoiled(() => ({ balance }))).holds).toBe(false);
    expect((await spoiled(() => ({ balance: { ...balance, queued: 0 } }))).holds).toBe(false);
    expect((await spoiled(() => ({ balance: { ...balance, queued: 0, known: 2 } }))).holds).toBe(true);
  });
});

describe('in the log it finds', () => {
  test('a fetch repeated without need', async () => {
    const { judgement, holds: ok } = await spoiled(({ log }) =>
      later(log, entryOf(log, 'www.hub0.test', '/')),
    );
    expect(judgement.repeatedUrls).toEqual(['http://www.hub0.test/']);
    expect(ok).toBe(false);
    expect(holds(judgement, { repeats: 1 })).toBe(true);
  });

  test('but not one that the web provoked, or of robots.txt', async () => {
    const { judgement } = await spoiled(({ log }) => {
      const home = entryOf(log, 'www.hub0.test', '/');
      home.cut = 'server';
      later(log, home);
      later(log, entryOf(log, 'www.hub0.test', '/robots.txt'));
    });
    expect(judgement.repeats).toBe(0);
  });

  test.each([
    ['a closed host', 'closed0.test', '/'],
    ['a closed folder', 'www.shop0.test', '/private/3.html'],
    ["a folder closed by the twin's rules", 'shop0.test', '/private/3.html'],
    ['a host whose rules are unknown', 'sick0.test', '/'],
    ['a host that asks for an hour between requests', 'patience0.test', '/'],
  ])('a request to %s', async (_, host, path) => {
    const { judgement, holds: ok } = await spoiled(({ log }) => {
      later(log, entryOf(log, 'www.hub0.test', '/'), { host, path });
    });
    expect(judgement.disallowed).toBe(1);
    expect(ok).toBe(false);
  });

  test('a page asked for before robots.txt', async () => {
    const { judgement, holds: ok } = await spoiled(({ log }) => {
      const robots = entryOf(log, 'alpha0.test', '/robots.txt');
      log.splice(log.indexOf(robots), 1);
    });
    expect(judgement.beforeRobots).toBeGreaterThan(0);
    expect(ok).toBe(false);
  });

  test('a request nobody should have made', async () => {
    const { judgement, holds: ok } = await spoiled(({ log }) => {
      later(log, entryOf(log, 'www.hub0.test', '/'), { path: '/style.css' });
    });
    expect(judgement.requestExamples.strays).toEqual(['http://www.hub0.test/style.css']);
    expect(ok).toBe(false);
  });

  test('a record of something nobody asked for', async () => {
    const { judgement, holds: ok } = await spoiled(({ log }) => {
      log.splice(log.indexOf(entryOf(log, 'www.hub0.test', '/dir/3')), 1);
    });
    expect(judgement.requestExamples.unfetched).toEqual(['http://www.hub0.test/dir/3']);
    expect(ok).toBe(false);
    expect((await spoiled(() => ({ log: [] }))).holds).toBe(false);
  });

  test('a gap that is too short by more than epsilon', async () => {
    const shortBy = (ms: number) =>
      spoiled(({ log }) => {
        const last = log.findLast((entry) => entry.host === 'alpha0.test') as LogEntry;
        last.startNs -= ms * 1e6;
      });
    expect((await shortBy(0.9)).judgement.gapViolations).toBe(0);
    const { judgement, holds: ok } = await shortBy(1.5);
    expect(judgement.gapViolations).toBe(1);
    expect(judgement.minGapMs).toBeCloseTo(48.5, 3);
    expect(ok).toBe(false);
  });

  test('a gap shorter than the crawl-delay', async () => {
    const { judgement } = await spoiled(({ log }) => {
      const last = log.findLast((entry) => entry.host === 'slowly0.test') as LogEntry;
      last.startNs -= 100e6;
      last.endNs -= 100e6;
    });
    expect(judgement.requestExamples.gaps).toHaveLength(1);
    expect(judgement.requestExamples.gaps[0]).toContain('owed 200 ms');
  });

  test('a request before Retry-After has passed', async () => {
    const { judgement } = await spoiled(({ log }) => {
      const asked = log.findIndex((entry) => entry.retryAfterMs !== undefined);
      const { host } = log[asked] as LogEntry;
      const next = log.find((entry, n) => n > asked && entry.host === host) as LogEntry;
      next.startNs -= 500e6;
      next.endNs -= 500e6;
    });
    expect(judgement.gapViolations).toBe(1);
  });

  test('two requests at once to one name, on whatever scheme', async () => {
    const { judgement, holds: ok } = await spoiled(({ log }) => {
      const one = entryOf(log, 'bank0.test', '/robots.txt');
      const other = log.find((entry) => entry.host === one.host && entry.scheme !== one.scheme) as LogEntry;
      one.endNs = other.startNs + 1e6;
    });
    expect(judgement.maxInFlightPerHost).toBeGreaterThan(1);
    expect(ok).toBe(false);
  });
});
