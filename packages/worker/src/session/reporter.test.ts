import {
  type CoordinatorLink,
  type CrawlId,
  type HostKey,
  type LeaseId,
  type LeaseReport,
  type Settlement,
  systemClock,
  WebfarerError,
} from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createReporter, type PendingReport } from './reporter.ts';
import { createStorageGate } from '../disk/storage-gate.ts';
import { noTracing } from '../tracing/tracing.ts';

function pending(id: string, close = false, part = 0): PendingReport {
  return {
    part,
    id: id as LeaseId,
    crawl: 'c' as CrawlId,
    host: 'h' as HostKey,
    fence: 1,
    // What it is does not matter here: it points at something that is to be secured first.
    settled: [{ kind: 'outcome' } as Settlement],
    close,
    news: { endedAtMs: null, gapMs: 0, why: 'gap', health: 'none' },
  };
}

function bench(
  report: (reports: LeaseReport[]) => Promise<void>,
  gatherMs = 0,
  secure: (crawl: CrawlId) => Promise<void> = async () => undefined,
) {
  const log: string[] = [];
  const link = {
    async report(reports: LeaseReport[]) {
      await report(reports);
      log.push(`report ${reports.map((r) => r.id).join(' ')}`);
      return reports.map(() => ({ ok: true as const, accepted: 0, known: 0 }));
    },
  } as CoordinatorLink;
  const real = systemClock();
  const clock = gatherMs > 0 ? real : { ...real, sleep: async () => undefined };
  const pauses: (string | undefined)[] = [];
  const storage = createStorageGate({
    folder: '.',
    minFreeBytes: () => 100,
    clock,
    signal: new AbortController().signal,
    changed: (pause) => pauses.push(pause?.cause),
    freeBytes: async () => 1_000,
  });
  return {
    log,
    pauses,
    reporter: createReporter({
      tracing: noTracing,
      link,
      clock,
      storage,
      async secure(crawl) {
        log.push('sync');
        await secure(crawl);
      },
      signal: new AbortController().signal,
      committed: () => undefined,
      gatherMs,
    }),
  };
}

describe('reporter', () => {
  it('puts bodies on disk before the outcomes that point at them', async () => {
    const { reporter, log } = bench(async () => undefined);
    await reporter.add(pending('a'));
    expect(log).toEqual(['sync', 'report a']);
  });

  it('sends what piled up while a batch was under way as one batch', async () => {
    const gate = Promise.withResolvers<void>();
    let first = true;
    const { reporter, log } = bench(async () => {
      if (first) await gate.promise;
      first = false;
    });
    const all = [reporter.add(pending('a'))];
    await Promise.resolve();
    await Promise.resolve();
    all.push(reporter.add(pending('b')), reporter.add(pending('c')));
    gate.resolve();
    await Promise.all(all);
    expect(log).toEqual(['sync', 'report a', 'sync', 'report b c']);
  });

  it('keeps a batch through a full disk and says that it is paused', async () => {
    let failures = 3;
    const { reporter, log, pauses } = bench(async () => {
      if (failures-- > 0) throw new WebfarerError('storage', 'disk full');
    });
    await expect(reporter.add(pending('a'))).resolves.toMatchObject({ ok: true });
    expect(log.filter((line) => line.startsWith('report'))).toEqual(['report a']);
    expect(pauses).toContain('disk');
  });

  it('hands any other error to whoever waits for the report', async () => {
    const { reporter } = bench(async () => {
      throw new Error('broken');
    });
    await expect(reporter.add(pending('a'))).rejects.toThrow('broken');
  });

  it('holds up no report for another crawl whose captures cannot be saved, and gives back its leases', async () => {
    const never = Promise.withResolvers<void>();
    const told: LeaseReport[] = [];
    const trouble = new WebfarerError('object-storage', 'access is denied');
    const { reporter } = bench(
      async (reports) => void told.push(...reports),
      0,
      (crawl) =>
        crawl === 'slow' ? never.promise : crawl === 'bad' ? Promise.reject(trouble) : Promise.resolve(),
    );
    const of = (crawl: string, id: string, close: boolean) =>
      reporter.add({ ...pending(id, close), crawl: crawl as CrawlId });
    const slow = of('slow', 's', true);
    const failing = Promise.allSettled([of('bad', 'b1', false), of('bad', 'b2', true)]);
    expect(await of('good', 'g', true)).toMatchObject({ ok: true });
    expect(await failing).toMatchObject([{ reason: trouble }, { reason: trouble }]);
    expect(told.map(({ id, settled }) => [id, settled.length])).toEqual(
      expect.arrayContaining([
        ['g', 1],
        ['b2', 0],
      ]),
    );
    expect(told).toHaveLength(2);
    never.resolve();
    expect(await slow).toMatchObject({ ok: true });
  });

  it('holds up no report for a part of the store that another part keeps waiting', async () => {
    const slow = Promise.withResolvers<void>();
    const { reporter, log } = bench((reports) => (reports[0]?.id === 'a' ? slow.promise : Promise.resolve()));
    const first = reporter.add(pending('a', false, 1));
    const of2 = (id: string) => reporter.add(pending(id, false, 2));
    await Promise.all([of2('b'), of2('c')]);
    await of2('d');
    expect(log.filter((line) => line !== 'sync')).toEqual(['report b c', 'report d']);
    slow.resolve();
    await first;
    await reporter.drain();
    expect(log.at(-1)).toBe('report a');
  });
});

it('never tells an end so that the pause after it becomes shorter', async () => {
  const told: LeaseReport['news'][] = [];
  const { reporter } = bench(async (reports) => void told.push(...reports.map(({ news }) => news)));
  const now = systemClock().now();
  const after = (endedAtMs: number): PendingReport => ({
    ...pending('a'),
    news: { endedAtMs, gapMs: 1_000, why: 'gap', health: 'ok' },
  });
  await Promise.all([reporter.add(after(now + 60_000)), reporter.add(after(now - 60_000))]);
  const [ahead, past] = told;
  expect(ahead?.endedAgoMs).toBe(0);
  expect(ahead?.gapMs).toBeGreaterThan(50_000);
  // Two clocks of one process differ by up to a millisecond.
  expect(past?.endedAgoMs).toBeGreaterThan(59_990);
  expect(past?.gapMs).toBe(1_000);
});

describe('a reporter that gathers', () => {
  /** As good as for ever: whatever is not hurried would outlast the test. */
  const gatherMs = 3_600_000;
  const reports = (log: string[]) => log.filter((line) => line !== 'sync');

  it('sends a report that comes alone at once, and those after it when one of them ends a lease', async () => {
    const { reporter, log } = bench(async () => undefined, gatherMs);
    await reporter.add(pending('a'));
    const gathered = [reporter.add(pending('b')), reporter.add(pending('c'))];
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(reports(log)).toEqual(['report a']);
    expect(reporter.waiting).toBe(2);
    await reporter.add(pending('d', true));
    await Promise.all(gathered);
    expect(reports(log)).toEqual(['report a', 'report b c d']);
  });

  it('sends what it has gathered when it is drained', async () => {
    const { reporter, log } = bench(async () => undefined, gatherMs);
    await reporter.add(pending('a'));
    const gathered = reporter.add(pending('b'));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await reporter.drain();
    await gathered;
    expect(reports(log)).toEqual(['report a', 'report b']);
  });
});
