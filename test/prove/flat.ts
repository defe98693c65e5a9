// watches: packages/worker/src, packages/coordinator/src/frontier, packages/coordinator/src/results
// watches: packages/coordinator/src/crawl, packages/cli/src/crawling, packages/cli/src/local
// misses: memory that grows with the number of pages
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, type Crawler, labJob, startCrawler, workFolder, writeJob } from './lab.ts';

// ci: rated, because it measures memory.

const sizes = {
  quick: { web: 'M', pages: 3_000, connections: 100, sampleMs: 250 },
  full: { web: 'L', pages: 300_000, connections: 200, sampleMs: 1_000 },
} as const;

/** Over the last two thirds of the crawl, memory may grow by this share. */
const allowedGrowth = 0.03;
/** Shares of the pages: by the end of the first third, what is loaded and kept on purpose is in memory. */
const early = [0.3, 0.366] as const;
const late = [0.934, 1] as const;
/** What the quick form is held to, which ends before memory has come to rest. */
const ceilingMiB = 512;

export interface Sample {
  pages: number;
  rssMiB: number;
}

/**
 * Memory does not grow with the crawl: the resident memory of the crawler over the first pages of a web
 * that is far larger. What the report takes when all pages are there is stated apart. `--pages N` and
 * `--web S|M|L` change the size.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const pages = Number(argument(args, '--pages') ?? size.pages);
  const web = (argument(args, '--web') ?? size.web) as 'S' | 'M' | 'L';
  const folder = workFolder('flat');
  const fake = await startFakeWeb({ size: web, seed: 1 });
  try {
    const job = join(folder.path, 'job.json');
    const lab = labJob(fake);
    await writeJob(job, {
      ...lab,
      limits: { ...lab.limits, pages },
      politeness: { gap: '0s', slowFactor: 0, connections: size.connections },
    });
    const crawler = startCrawler(job, join(folder.path, 'lab.crawl'));
    const samples = await watch(crawler, fake, size.sampleMs);
    const code = await crawler.ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const result = summarise(samples);
    const peakMiB = Math.max(result.rssMiBCrawl, result.rssMiBReport);
    const ok = result.pages >= pages * 0.9 && (quick ? peakMiB <= ceilingMiB : result.flat);
    const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
    return { ok, result: { ...result, load, sizes: { ...size, web, pages } } };
  } finally {
    await fake.stop();
    folder.remove();
  }
}

/** Looks at the crawler's memory until it ends; pages are counted by the web, which is asked for them. */
async function watch(crawler: Crawler, fake: FakeWeb, sampleMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  void crawler.ended.then(() => (over = true));
  let told = performance.now();
  while (!over) {
    await Promise.race([crawler.ended, new Promise((resolve) => setTimeout(resolve, sampleMs))]);
    const rssMiB = residentMiB(crawler.child.pid ?? 0);
    const { requests: pages } = await fake.stats();
    if (rssMiB > 0) samples.push({ pages, rssMiB });
    if (performance.now() - told < 30_000) continue;
    told = performance.now();
    console.error(`  ${pages} pages, ${rssMiB} MiB`);
  }
  return samples;
}

function residentMiB(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return Math.round(Number(kib ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

/** The crawl ends with the last request; what comes behind it is the report. */
export function summarise(samples: Sample[]) {
  const pages = samples.at(-1)?.pages ?? 0;
  const end = samples.findIndex((sample) => sample.pages === pages) + 1;
  const [crawl, report] = [samples.slice(0, end), samples.slice(end)];
  const within = ([from, to]: readonly [number, number]) =>
    crawl.filter((sample) => sample.pages >= pages * from && sample.pages <= pages * to);
  const rssMiBEarly = median(within(early).map(({ rssMiB }) => rssMiB));
  const rssMiBLate = median(within(late).map(({ rssMiB }) => rssMiB));
  const growth = rssMiBLate / rssMiBEarly - 1;
  return {
    pages,
    flat: growth <= allowedGrowth,
    growth: Math.round(growth * 1_000) / 1_000,
    rssMiBEarly,
    rssMiBLate,
    rssMiBCrawl: most(crawl),
    rssMiBReport: most(report),
    slopeMiBPer100k: Math.round(slope(within([early[0], 1])) * 100_000 * 10) / 10,
    /** A point for every tenth of the way. */
    course: Array.from({ length: 10 }, (_, tenth) => within([tenth / 10, (tenth + 1) / 10]).at(-1) ?? null),
  };
}

function most(samples: Sample[]): number {
  return Math.max(0, ...samples.map(({ rssMiB }) => rssMiB));
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Of the straight line that fits best, in MiB per page. */
function slope(samples: Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / Math.max(1, samples.length);
  const [meanPages, meanRss] = [mean(({ pages }) => pages), mean(({ rssMiB }) => rssMiB)];
  let together = 0;
  let alone = 0;
  for (const { pages, rssMiB } of samples) {
    together += (pages - meanPages) * (rssMiB - meanRss);
    alone += (pages - meanPages) ** 2;
  }
  return alone === 0 ? 0 : together / alone;
}
