// watches: packages/worker/src/browser, packages/worker/src/page, packages/worker/src/extract
// misses: pages that need a browser and do not get one, or get one for nothing
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { type BrowserWeb, startBrowserWeb } from '../browser-web/browser-web.ts';
import { type CrawlFinds, judgeFinds, readFinds, recall, truthOf } from '../browser-web/judge-finds.ts';
import { judgeVisits } from '../browser-web/judge-visits.ts';
import { scriptedKinds } from '../browser-web/pages.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';

const sizes = { quick: { pages: 60, sites: 3 }, full: { pages: 2_000, sites: 8 } } as const;
const gapMs = 50;
const bars = { recall: 0.99, rendered: 1.15, inFlightOwn: 6 };
type Way = 'always' | 'auto' | 'never';

/**
 * A web of which three pages in ten need a browser is crawled with `always` and with `auto`. `auto` must find what
 * `always` finds and show few more pages than need it; both must find what is there and keep to the rules of every host,
 * by the log of the web. In the quick form each kind of page that could do without a browser may be tried twice.
 * Control: with `never` what only scripts show must be missing. `--pages N`, `--sites N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const pages = Number(argument(args, '--pages') ?? size.pages);
  const sites = Number(argument(args, '--sites') ?? size.sites);
  const work = workFolder('render');
  const crawl = async (way: Way) => {
    const web = await startBrowserWeb({ pages, sites });
    try {
      const crawled = await run(web, way, join(work.path, `${way}.crawl`));
      const log = web.takeLog();
      return { found: judgeFinds(web, crawled), visits: judgeVisits(web, log, gapMs), truth: truthOf(web) };
    } finally {
      await web.stop();
    }
  };
  try {
    // All at once would only take turns at two processors; the quick form waits more than it computes.
    const ways = ['always', 'auto', 'never'] as const;
    const [always, auto, never] = quick
      ? await Promise.all([crawl('always'), crawl('auto'), crawl('never')])
      : [await crawl('always'), await crawl('auto'), await crawl('never')];
    const { needed, links, texts } = auto.truth;
    const spread = (set: ReadonlySet<string>) =>
      new Set([...set].map((one) => one.replaceAll(/:\d+\//g, '/')));
    const against = (of: typeof always, crawled: typeof auto) => ({
      links: round(recall(spread(of.found.links), spread(crawled.found.links))),
      texts: round(recall(spread(of.found.texts), spread(crawled.found.texts))),
    });
    const recalls = against(always, auto);
    const control = against(always, never);
    const ofTruth = {
      links: round(always.found.links.size / links.length),
      texts: round(always.found.texts.size / texts.length),
    };
    const allowed = quick ? needed + scriptedKinds.length * 2 * sites : needed * bars.rendered;
    const { rendered } = auto.found;
    const clean = [always, auto].every(
      ({ found, visits }) =>
        found.lost + found.duplicates + visits.gapViolations + visits.disallowed + visits.beforeRobots ===
          0 &&
        visits.changing === 0 &&
        // A page that could not be shown in time is asked for again, and says so.
        visits.askedAgain <= found.retries &&
        found.balanced &&
        visits.maxInFlightOwn <= bars.inFlightOwn &&
        visits.maxInFlightElsewhere === 1,
    );
    const atLeast = ({ links: a, texts: b }: typeof recalls, bar: number) => Math.min(a, b) >= bar;
    return {
      ok:
        clean &&
        atLeast(recalls, bars.recall) &&
        atLeast(ofTruth, bars.recall) &&
        rendered <= allowed &&
        rendered >= needed &&
        !atLeast(control, 0.9),
      result: {
        sizes: { pages, sites, gapMs },
        recall: Math.min(recalls.links, recalls.texts),
        recalls,
        rendered,
        needed,
        allowed: Math.floor(allowed),
        ofTruth,
        control,
        ...Object.fromEntries(ways.map((way, n) => [way, told([always, auto, never][n] as typeof auto)])),
      },
    };
  } finally {
    work.remove();
  }
}

function told({
  found,
  visits,
}: {
  found: ReturnType<typeof judgeFinds>;
  visits: ReturnType<typeof judgeVisits>;
}) {
  const { links, texts, failures, ...counts } = found;
  return { ...counts, links: links.size, texts: texts.size, failures: failures.slice(0, 5), ...visits };
}

function round(value: number): number {
  return Math.floor(value * 10_000) / 10_000;
}

async function run(web: BrowserWeb, render: Way, folder: string): Promise<CrawlFinds> {
  const job: JobInput = {
    name: `render-${render}`,
    seeds: web.seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    limits: { pages: 'none', perHost: { pages: 'none' }, perSite: { pages: 'none' }, minFree: '50MB' },
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
    fetch: { ...web.fetch, timeout: '30s' },
    scraper: join(import.meta.dirname, '../browser-web/scraper.ts'),
    save: ['none'],
    render,
  };
  await writeJob(`${folder}.json`, job);
  const crawler = startCrawler(`${folder}.json`, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
  return await readFinds(folder);
}
