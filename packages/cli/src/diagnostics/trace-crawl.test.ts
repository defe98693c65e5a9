import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from '../../../../test/library/small-site.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';

let home: string;
let site: SmallSite;
let spans: InMemorySpanExporter;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-trace-'));
  site = await startSmallSite(shopPages);
  spans = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
});
afterEach(async () => {
  trace.disable();
  context.disable();
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function crawl(...more: string[]): Promise<number> {
  const argv = ['crawl', site.origin, '--gap', '1ms', '--allow-private', '127.0.0.0/8', ...more];
  const world = fakeWorld(home, {}, argv);
  return await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
}

const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === `webfarer.${name}`);
const childrenOf = (url: ReadableSpan) =>
  spans
    .getFinishedSpans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === url.spanContext().spanId)
    .map(({ name }) => name.replace('webfarer.', ''));

it('crawl --trace reports the life of each URL to the SDK of the user', async () => {
  expect(await crawl('--trace')).toBe(0);
  const asked = site.asked.filter((path) => path !== '/robots.txt' && !path.includes('sitemap'));
  const urls = named('url').filter(({ attributes }) => attributes['webfarer.verdict'] !== undefined);
  const paths = urls.map(({ attributes }) => String(attributes['url.full']).slice(site.origin.length));
  for (const path of asked) expect(paths).toContain(path);
  const hammer = urls.find(({ attributes }) => String(attributes['url.full']).endsWith('/p/hammer'));
  expect(hammer?.attributes).toMatchObject({ 'webfarer.verdict': 'done', 'webfarer.reason': 'ok' });
  if (hammer) expect(childrenOf(hammer)).toEqual(['robots', 'fetch', 'extract', 'save']);
  expect(named('fetch').some(({ attributes }) => attributes['http.response.status_code'] === 200)).toBe(true);
  expect(named('scrape').length).toBeGreaterThan(0);
  expect(named('lease').some(({ attributes }) => attributes['webfarer.hosts'] === 1)).toBe(true);
  expect(named('report').length).toBeGreaterThan(0);
});

it('without --trace nothing is reported', async () => {
  expect(await crawl()).toBe(0);
  expect(spans.getFinishedSpans()).toEqual([]);
});

it('worker processes report spans of their own before they end', async () => {
  const words = ['--gap', '1ms', '--allow-private', '127.0.0.0/8', '--quiet', '--trace', '--processes', '2'];
  const fixture = join(import.meta.dirname, 'print-spans.fixture.ts');
  const bin = join(import.meta.dirname, '../bin.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', fixture, bin, 'crawl', site.origin, ...words],
    { cwd: home, maxBuffer: 1e8 },
  );
  const urls = [...stdout.matchAll(/'url\.full': '([^']+)'/g)].map(([, url]) => url);
  const asked = site.asked.filter((path) => path !== '/robots.txt' && !path.includes('sitemap'));
  for (const path of asked) expect(urls).toContain(`${site.origin}${path}`);
  expect(stdout).toContain("name: 'webfarer.fetch'");
});

it('crawl --profile leaves a CPU profile and heap figures in the folder that it names', async () => {
  expect(await crawl('--profile', 'prof')).toBe(0);
  expect(readdirSync(join(home, 'prof')).map((name) => name.replace(/^crawl-[\d-]+/, ''))).toEqual([
    '.cpuprofile',
    '.heap.json',
  ]);
});
