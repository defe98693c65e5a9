import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';
import { estimate, figures, type Plan } from './estimate.ts';

const plan: Plan = {
  pages: 1_000_000,
  hosts: 1_000,
  pageBytes: 26_000,
  gapMs: 1_000,
  withinMs: 7 * 86_400_000,
  urlsPerPage: 5,
  archives: true,
};
const doc = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

async function size(...argv: string[]) {
  const world = fakeWorld('/', {}, argv);
  return { exit: await runCli(['size', ...argv], world.context), out: world.out(), err: world.err() };
}

it('is bound by politeness: a host gives one page for each pause and answer', () => {
  const one = estimate({ ...plan, pages: 100_000, hosts: 1, withinMs: 3_600_000 });
  expect(one.soonestMs).toBe(100_000 * 1_500);
  expect(one.pagesPerSecond).toBeCloseTo(1 / 1.5);
  expect(one.hostsAtOnce).toBe(1);
  expect(one.workers).toBe(1);
});

it('takes the time it is given where politeness leaves some', () => {
  const week = estimate(plan);
  expect(week.soonestMs).toBe(1_000 * 1_500);
  expect(week.pagesPerSecond).toBeCloseTo(1e6 / 604_800);
  expect(week).toMatchObject({ frontier: 'folder', coordinators: 1, shards: 0 });
  expect(week.archiveBytes).toBe(26e9);
});

it('has enough workers for the computing and for the hosts at once', () => {
  const fast = estimate({ ...plan, pages: 1e9, hosts: 1e7, withinMs: 86_400_000 });
  expect(fast.coresOfWorkers).toBeCloseTo(1e9 / 86_400 / figures.pagesPerCpuSecond.archived / 0.7);
  expect(fast.workers).toBeGreaterThanOrEqual(fast.coresOfWorkers);
  expect(fast.workers * fast.connections).toBeGreaterThanOrEqual(fast.hostsAtOnce);
  expect(fast.shards).toBeGreaterThanOrEqual(fast.pagesPerSecond / 2_500);
});

it('agrees with the table of docs/scale.md', () => {
  for (const [urls, bytes, shards] of [
    [1e9, 96e9, 2],
    [1e10, 960e9, 17],
  ] as const) {
    const found = estimate({ ...plan, pages: urls / 5, hosts: 1, withinMs: Number.MAX_SAFE_INTEGER });
    expect(found.storeBytes / bytes).toBeCloseTo(1);
    expect(found.shards).toBe(shards);
    expect(doc('scale.md')).toMatch(new RegExp(`billion \\| ${bytes / 1e9} GB \\| ${shards} \\|`));
  }
});

it('uses the figures that the pages about performance have', () => {
  const { archived, plain } = figures.pagesPerCpuSecond;
  expect(doc('performance.md')).toContain(`| ${plain} | ${archived} |`);
  expect(doc('performance.md')).toContain(`to ${figures.workerBytes / 2 ** 20} MiB`);
  expect(doc('performance.md')).toContain('543 bytes');
  expect(doc('scale.md')).toContain('80 bytes per known URL, a fifth on top');
  expect(doc('scale.md')).toContain('at most 2,500 pages/s per shard');
});

it('prints what is needed, or one object for programs', async () => {
  const { exit, out } = await size('--pages', '1m', '--hosts', '1k');
  expect([exit, out]).toEqual([0, expect.stringMatching(/ {2}workers +1 worker with --connections 100/)]);
  const json = await size('--pages', '2.5m', '--hosts', '10', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ plan: { pages: 2_500_000 }, workers: 1 });
});

it('prints what docs/sizing.md shows', async () => {
  const [, words = '', shown = ''] =
    /```sh\nwebfarer size (.*)\n```\n\n```text\n([^`]*)```/.exec(doc('sizing.md')) ?? [];
  expect((await size(...words.split(' '))).out).toBe(shown);
});

it('says what is wrong with a figure', async () => {
  const { exit, err } = await size('--pages', 'many', '--hosts', '1');
  expect([exit, err]).toEqual([2, expect.stringContaining('--pages cannot be "many"')]);
});
