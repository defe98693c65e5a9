// watches: packages/worker/src/browser, packages/worker/src/page, packages/worker/src/session
// misses: pages lost, and processes left, when browsers die or pages misbehave
import { mkdirSync, readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { type BrowserWeb, startBrowserWeb } from '../browser-web/browser-web.ts';
import { browsersOf, type ProcessWatch, watchProcesses } from '../browser-web/browser-processes.ts';
import { type Harm, harmfulPage, harms, holdPage, isExpected } from '../browser-web/harmful-pages.ts';
import { judgeFinds, readFinds } from '../browser-web/judge-finds.ts';
import { copyWith } from '../faults/changed-source.ts';
import { type Random, randomFrom } from '../fuzz/random.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, type Crawler, startCrawler, until, workFolder, writeJob } from './lab.ts';

// ci: rated, because pages have only so much time, and a browser that starts again and again takes much of the machine.

const sizes = {
  quick: {
    count: 6,
    pages: 30,
    sites: 4,
    retries: 1,
    harms: ['late-loop', 'heap', 'worker-console', 'requests'],
  },
  full: { count: 100, pages: 400, sites: 8, retries: 3, harms },
} satisfies Record<
  string,
  { count: number; pages: number; sites: number; retries: number; harms: readonly Harm[] }
>;
/** Between two kills, in requests that the web sees: a page makes four, and four pages are shown at once. */
const mostRequestsBetween = 16;
/** Of the worker and everything it started: four pages at once with a gigabyte each, and one for everything else. */
const most = { treeMiB: 5 * 1_024 };

/** A page whose browser died is not shown again. */
const spoilt = [
  {
    file: 'packages/worker/src/browser/renderer.ts',
    from: 'if (attempt > 0 || request.signal.aborted)',
    to: 'if (attempt >= 0 || request.signal.aborted)',
  },
];

/**
 * Browsers and tabs are killed at random moments of a crawl, and some pages of the web loop, eat memory, or open dialogs,
 * pop-ups, pages and requests without end. Every page settles with its reason, no other page is hurt, memory stays
 * bounded, and no process or profile is left. Control: a product that shows a page only once loses the page whose browser
 * is killed while it loads. `--count N` kills, `--seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const count = Number(argument(args, '--count') ?? size.count);
  const seed = Number(argument(args, '--seed') ?? 1);
  const work = workFolder('browser-kill');
  const command = copyWith(spoilt, join(work.path, 'copy'));
  try {
    const [control, sound] = await Promise.all([
      crawlHeld(join(work.path, 'control.crawl'), command),
      crawlHeld(join(work.path, 'held.crawl')),
    ]);
    const web = await startBrowserWeb({ ...size, more: harmfulPage });
    try {
      const harmful = size.harms.map((harm, n) => web.urlOf({ site: n % size.sites }, `/harm/${harm}`));
      const struck = await crawlStruck({
        web,
        harmful,
        count,
        retries: size.retries,
        random: randomFrom(seed),
        folder: join(work.path, 'struck.crawl'),
      });
      const { found, wrong, peakMiB, killed, left, profiles } = struck;
      return {
        ok:
          found.lost +
            found.duplicates +
            wrong.length +
            left +
            profiles +
            Object.keys(found.missing).length ===
            0 &&
          found.balanced &&
          killed === count &&
          peakMiB <= most.treeMiB &&
          control === 'failed render-crash' &&
          sound === 'done ok',
        result: {
          sizes: { ...size, count, seed, harms: size.harms.length },
          killed,
          lost: found.lost,
          duplicates: found.duplicates,
          balanced: found.balanced,
          missing: found.missing,
          ends: struck.ends,
          wrong,
          failures: found.failures.filter((one) => !one.includes('/harm/')).slice(0, 5),
          peakMiB,
          mostMiB: most.treeMiB,
          left,
          profiles,
          control,
          sound,
        },
      };
    } finally {
      await web.stop();
    }
  } finally {
    work.remove();
  }
}

function jobOf(web: BrowserWeb, seeds: string[], retries: number): JobInput {
  return {
    name: 'browser-kill',
    seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host', exclude: [{ regex: '/harm/(.*\\?|child)' }] },
    limits: { pages: 'none', perHost: { pages: 'none' }, perSite: { pages: 'none' }, minFree: '50MB' },
    politeness: { gap: '10ms', slowFactor: 0 },
    fetch: { ...web.fetch, timeout: '10s', retries: { count: retries, backoff: '50ms' } },
    scraper: join(import.meta.dirname, '../browser-web/scraper.ts'),
    save: ['none'],
    render: 'always',
  };
}

async function start(job: JobInput, folder: string, command?: string): Promise<Crawler> {
  await writeJob(`${folder}.json`, job);
  const temporary = `${folder}.tmp`;
  mkdirSync(temporary);
  return startCrawler(`${folder}.json`, folder, {
    env: { TMPDIR: temporary },
    ...(command ? { command } : {}),
  });
}

interface Struck {
  web: BrowserWeb;
  harmful: string[];
  count: number;
  retries: number;
  random: Random;
  folder: string;
}

async function crawlStruck({ web, harmful, count, retries, random, folder }: Struck) {
  const crawler = await start(jobOf(web, [...web.seeds, ...harmful], retries), folder);
  const watch = watchProcesses(crawler.child.pid as number);
  const killed = await strike(web, crawler, watch, { count, random });
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
  await until('the end of all processes', () => watch.left() === 0, 20_000).catch(() => undefined);
  watch.stop();
  const crawled = await readFinds(folder);
  const records = new Map(crawled.records.map((record) => [record.url as string, record]));
  const ends = harmful.map((url) => `${url.split('/harm/')[1]}: ${endOf(records.get(url))}`);
  return {
    killed,
    // Pages that a harmful one leads to are not of the web.
    found: judgeFinds(web, crawled),
    ends,
    wrong: harmful.filter((url) => !isExpected(url.split('/harm/')[1] ?? '', records.get(url))),
    peakMiB: watch.peakMiB(),
    left: watch.left(),
    profiles: readdirSync(`${folder}.tmp`).filter((name) => name.startsWith('playwright')).length,
  };
}

function endOf(record: PageRecord | undefined): string {
  if (!record) return 'lost';
  return `${record.verdict} ${record.reason}${record.rendered?.restless ? ' restless' : ''}`;
}

/** Kills browsers, and now and then a part of one, until it has done so often enough or the crawl has ended. */
async function strike(
  web: BrowserWeb,
  crawler: Crawler,
  watch: ProcessWatch,
  { count, random }: Pick<Struck, 'count' | 'random'>,
): Promise<number> {
  let isOver = false;
  void crawler.ended.then(() => (isOver = true));
  let killed = 0;
  while (killed < count && !isOver) {
    await Promise.race([web.after(1 + random.below(mostRequestsBetween)), crawler.ended]);
    const { browsers, tabs } = browsersOf(crawler.child.pid as number);
    const targets = random.below(3) === 0 && tabs.length > 0 ? tabs : browsers;
    const target = targets[random.below(targets.length)];
    if (target === undefined) continue;
    if (watch.kill(target)) killed += 1;
  }
  return killed;
}

/** A page that still loads when its browser is killed, for certain: its server kills it, and only then answers. */
async function crawlHeld(folder: string, command?: string): Promise<string> {
  let crawler: Crawler | undefined;
  let isKilled = false;
  const more = (path: string, _request: IncomingMessage, response: ServerResponse): boolean =>
    holdPage(path, response, () => {
      if (isKilled) return;
      isKilled = true;
      for (const pid of browsersOf(crawler?.child.pid ?? 0).browsers) process.kill(pid, 'SIGKILL');
    });
  const web = await startBrowserWeb({ pages: 1, sites: 1, more });
  try {
    const url = web.urlOf({ site: 0 }, '/hold');
    // Tried once only, whatever becomes of it.
    crawler = await start(jobOf(web, [url, ...web.seeds], 0), folder, command);
    const code = await crawler.ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const { records } = await readFinds(folder);
    const record = records.find((one) => one.url === url);
    return isKilled ? endOf(record).replace(' restless', '') : 'not killed';
  } finally {
    await web.stop();
  }
}
