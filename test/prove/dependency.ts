// watches: packages/graph/src/dependency, packages/graph/src/files, packages/graph/src/tables
// watches: packages/cli/src/commands
// misses: wrong dependency scores, or other ones after a kill
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { HostKey } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import { randomNumbers } from '../../bench/random.ts';
import { computeJob } from '../../packages/graph/src/dependency/compute.ts';
import { pageGraphs } from '../../packages/graph/src/dependency/read-crawl.ts';
import type { SourceScore } from '../../packages/graph/src/dependency/scores.ts';
import { siteJobs } from '../../packages/graph/src/dependency/site-jobs.ts';
import { compareScores, type Comparison } from '../dependency/compare.ts';
import { trueSites } from '../dependency/fake-web-truth.ts';
import { killCompute } from '../dependency/kills.ts';
import { each, type MadeUpCrawl, randomCrawl, reordered } from '../dependency/random-web.ts';
import { handWebs } from '../dependency/hand-webs.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, briskJob, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: { webs: 150, maxPages: 40, kills: 10, killPages: 3_000, web: 'S' },
  full: { webs: 1_000, maxPages: 60, kills: 100, killPages: 6_000, web: 'S' },
} as const;
const bar = 1e-9;

/**
 * Dependency scores are what docs/dependency.md says: on webs solved by hand, on random ones against dense elimination,
 * and on a crawl of the fake web against its closed form; a threshold reports exactly what is above it; and a
 * computation that is killed ends with the same bits. `--seed 1 --kills N --webs N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const seed = Number(argument(args, '--seed') ?? 1);
  const webs = Number(argument(args, '--webs') ?? size.webs);
  const kills = Number(argument(args, '--kills') ?? size.kills);
  const folder = workFolder('dependency');
  try {
    const hand = await proveByHand();
    console.error(`by hand: ${hand.webs} webs, largest error ${hand.maxError}`);
    const random = await proveRandom(webs, seed, size.maxPages);
    console.error(`random: ${webs} webs, largest error ${random.maxError}, ${random.moved} moved by order`);
    const fake = await proveFakeWeb(folder.path, seed);
    console.error(`fake web: ${fake.sites} sites, largest error ${fake.maxError}`);
    const killed = await killCompute(folder.path, { kills, pages: size.killPages, seed });
    console.error(`kills: ${JSON.stringify(killed)}`);
    const wrong = [...random.wrong, ...fake.wrong];
    for (const line of wrong.slice(0, 10)) console.error(`  wrong: ${line}`);
    const maxError = Math.max(hand.maxError, random.maxError, fake.maxError);
    const differences = killed.differences + random.moved;
    const isExercised = killed.resumed > 0 && killed.finished > 0 && fake.sites > 10;
    return {
      ok: maxError <= bar && wrong.length === 0 && differences === 0,
      tooEasy: killed.kills < kills || !isExercised,
      result: {
        webs: hand.webs + webs + fake.sites,
        maxError,
        ...killed,
        differences,
        wrong: wrong.length,
        undecided: random.undecided + fake.undecided,
        fakeSites: fake.sites,
        sizes: { ...size, webs, kills, seed },
      },
    };
  } finally {
    folder.remove();
  }
}

async function proveByHand(): Promise<{ webs: number; maxError: number }> {
  let maxError = 0;
  for (const { crawl, shares } of handWebs) {
    const scores = await scoresOf(crawl, 0);
    const found = new Map(
      scores.find(({ level }) => level === 'site')?.dependencies.map((d) => [d.target, d.share]),
    );
    if (found.size !== Object.keys(shares).length) return { webs: handWebs.length, maxError: 1 };
    for (const [target, share] of Object.entries(shares))
      maxError = Math.max(maxError, Math.abs((found.get(target) ?? 2) - share));
  }
  return { webs: handWebs.length, maxError };
}

async function scoresOf(
  crawl: Pick<MadeUpCrawl, 'records' | 'edges'>,
  threshold: number,
): Promise<SourceScore[]> {
  const pages = { records: () => each(crawl.records), edges: () => each(crawl.edges) };
  const [graph] = await pageGraphs(pages, siteJobs('site', ['https://own.test/' as never]));
  return graph === undefined ? [] : await computeJob(graph, { threshold });
}

/** Also in another order of records and links, which must not change a bit. */
async function proveRandom(
  webs: number,
  seed: number,
  maxPages: number,
): Promise<Comparison & { moved: number }> {
  const random = randomNumbers(seed);
  const total = { maxError: 0, wrong: [] as string[], undecided: 0, moved: 0 };
  for (let n = 0; n < webs; n++) {
    const crawl = randomCrawl(random, maxPages);
    const threshold = n % 3 === 0 ? 0 : random() * 0.3;
    const scores = await scoresOf(crawl, threshold);
    const found = compareScores(crawl.web, scores, threshold);
    total.maxError = Math.max(total.maxError, found.maxError);
    total.wrong.push(...found.wrong.map((what) => `web ${n}: ${what}`));
    total.undecided += found.undecided;
    const again = await scoresOf(reordered(crawl, random), threshold);
    if (JSON.stringify(again) !== JSON.stringify(scores)) total.moved++;
  }
  return total;
}

/** Crawled by the command, computed by the command, read from the database: compared with what the generator says. */
async function proveFakeWeb(under: string, seed: number): Promise<Comparison & { sites: number }> {
  const fake = await startFakeWeb({ size: 'S', seed });
  try {
    const job = join(under, 'job.json');
    const out = join(under, 'lab.crawl');
    const { job: input, expect } = briskJob(fake);
    await writeJob(job, input);
    const crawler = startCrawler(job, out);
    const code = await crawler.ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const scores = (['site', 'host', 'page'] as const).flatMap((level) => askCommand(out, level));
    const sites = trueSites(fake.web, expect);
    const total = { maxError: 0, wrong: [] as string[], undecided: 0, sites: sites.size };
    for (const [site, web] of sites) {
      const own = scores.filter((score) => siteOf(score.source as HostKey) === site);
      if (own.length < 3) total.wrong.push(`${site}: ${own.length} sources`);
      const found = compareScores(web, own, 0);
      total.maxError = Math.max(total.maxError, found.maxError);
      total.wrong.push(...found.wrong);
      total.undecided += found.undecided;
    }
    return total;
  } finally {
    await fake.stop();
  }
}

function askCommand(folder: string, level: SourceScore['level']): SourceScore[] {
  const words = [
    'graph',
    'deps',
    folder,
    '--json',
    '--level',
    level,
    '--threshold',
    '0',
    '--limit',
    '9999999',
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, [commandPath, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`graph deps ended with ${status}: ${stderr}`);
  const scores = new Map<string, SourceScore>();
  for (const line of stdout.trimEnd().split('\n')) {
    const row = JSON.parse(line) as { kind: string; source: string };
    if (row.kind === 'source')
      scores.set(row.source, { ...(row as never as SourceScore), level, dependencies: [] });
    else scores.get(row.source)?.dependencies.push(row as never);
  }
  return [...scores.values()];
}
