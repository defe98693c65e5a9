import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createCrawlLabels } from './crawl-labels.ts';
import { metricTable, type MetricMeaning } from './metric-table.ts';
import { createMetrics } from './registry.ts';

const open = (patienceMs?: number) =>
  createMetrics({ clock: systemClock(), ...(patienceMs === undefined ? {} : { patienceMs }) });
const linesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

it('writes counters, gauges and histograms as Prometheus reads them', async () => {
  const metrics = open();
  const labels = { crawl: 'a "b"\n\\c', outcome: 'done', reason: 'ok' };
  metrics.count('webfarer_pages_total', labels);
  metrics.count('webfarer_pages_total', labels, 2);
  for (const value of [0.001, 0.02, 0.02, 70])
    metrics.observe('webfarer_worker_fetch_seconds', { result: 'ok' }, value);
  metrics.collect((sample) => sample('webfarer_leases', {}, 7));
  const text = await metrics.scrape();
  expect(text).toContain(
    `# HELP webfarer_pages_total ${metricTable.webfarer_pages_total.help}\n# TYPE webfarer_pages_total counter\nwebfarer_pages_total{crawl="a \\"b\\"\\n\\\\c",outcome="done",reason="ok"} 3\n`,
  );
  expect(linesOf(text, 'webfarer_leases')).toEqual(['webfarer_leases 7']);
  const fetched = text.split('\n').filter((line) => line.startsWith('webfarer_worker_fetch_seconds'));
  expect(fetched.slice(0, 3)).toEqual([
    'webfarer_worker_fetch_seconds_bucket{result="ok",le="0.005"} 1',
    'webfarer_worker_fetch_seconds_bucket{result="ok",le="0.01"} 1',
    'webfarer_worker_fetch_seconds_bucket{result="ok",le="0.025"} 3',
  ]);
  expect(fetched.slice(-4)).toEqual([
    'webfarer_worker_fetch_seconds_bucket{result="ok",le="60"} 3',
    'webfarer_worker_fetch_seconds_bucket{result="ok",le="+Inf"} 4',
    'webfarer_worker_fetch_seconds_sum{result="ok"} 70.041',
    'webfarer_worker_fetch_seconds_count{result="ok"} 4',
  ]);
});

it('starts counters over closed lists at 0, so that their first event is an increase', async () => {
  const text = await open().scrape();
  expect(linesOf(text, 'webfarer_webhook_attempts_total')).toEqual([
    'webfarer_webhook_attempts_total{result="delivered"} 0',
    'webfarer_webhook_attempts_total{result="failed"} 0',
  ]);
  expect(linesOf(text, 'webfarer_events_total')).toHaveLength(
    metricTable.webfarer_events_total.labels.type.length,
  );
  expect(linesOf(text, 'webfarer_pages_total')).toEqual([]);
});

it('adds no series for a value outside a closed list', async () => {
  const metrics = open();
  for (let n = 0; n < 1_000; n++)
    metrics.count('webfarer_pages_total', { crawl: 'x', outcome: 'done', reason: `https://host-${n}.test/` });
  expect(linesOf(await metrics.scrape(), 'webfarer_pages_total')).toEqual([
    'webfarer_pages_total{crawl="x",outcome="done",reason="other"} 1000',
  ]);
});

it('has no label that could grow with the web', () => {
  const labels = Object.values<MetricMeaning>(metricTable).flatMap((one) => Object.entries(one.labels));
  const open = new Set(labels.flatMap(([name, values]) => (typeof values === 'string' ? [name] : [])));
  expect([...open].sort()).toEqual(['crawl', 'node', 'version']);
  for (const [, values] of labels)
    if (typeof values !== 'string') expect(values.length).toBeLessThanOrEqual(64);
});

it('leaves out what cannot be read in time, and says so with the next scrape', async () => {
  const metrics = open(20);
  metrics.collect(() => new Promise(() => undefined));
  metrics.collect(() => Promise.reject(new Error('the store is away')));
  metrics.collect((sample) => sample('webfarer_leases', {}, 1));
  const first = await metrics.scrape();
  expect(linesOf(first, 'webfarer_leases')).toEqual(['webfarer_leases 1']);
  const [line] = linesOf(await metrics.scrape(), 'webfarer_scrape_failures_total');
  expect(Number(line?.split(' ')[1])).toBeGreaterThanOrEqual(2);
});

it('reads its parts once for scrapes at the same time', async () => {
  const metrics = open();
  let reads = 0;
  metrics.collect(() => void reads++);
  const [first, second] = await Promise.all([metrics.scrape(), metrics.scrape()]);
  expect([reads, first === second]).toEqual([1, true]);
});

it('gives crawls labels up to a number, and the place of one that ended to the next', () => {
  const forgotten: string[] = [];
  const labels = createCrawlLabels((label) => forgotten.push(label), 2);
  const of = (name: string, id = name) => labels.of({ id, name });
  expect([of('a'), of('b'), of('c'), of('a')]).toEqual(['a', 'b', 'other', 'a']);
  labels.ended('a');
  expect(of('a')).toBe('a');
  expect([of('c'), of('d'), of('e'), forgotten]).toEqual(['other', 'd', 'other', ['a']]);
  // Begun again under the name of one that runs: one label for both.
  expect(of('b', 'b2')).toBe('b');
  labels.ended('b');
  expect([of('f'), forgotten]).toEqual(['other', ['a']]);
});
