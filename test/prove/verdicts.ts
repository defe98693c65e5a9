// watches: packages/worker/src/session, packages/worker/src/page, packages/worker/src/fetch
// watches: packages/cli/src/link-check, packages/graph/src/report/survey
// misses: a good link that is called broken because another one of its site is, and the other way round
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import type { LinkReport } from '../../packages/cli/src/link-check/link-report.ts';
import { startNameServer } from '../../packages/worker/src/egress/name-server.fixture.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Kind, type MadeSite, type MadeSites, startSites } from '../verdicts/sites.ts';
import { argument, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: { sites: 40, linksPerSite: 14, badPerSite: 7, gapMs: 400, slowMs: 60, timeoutMs: 2_000, seed: 7 },
  full: { sites: 500, linksPerSite: 24, badPerSite: 12, gapMs: 100, slowMs: 60, timeoutMs: 3_000, seed: 7 },
};
type Sizes = (typeof sizes)['full'];
const tries = 2;
const slowFactor = 3;
/** Sites with bad links to those without, each against what its requests and pauses must take: a busy machine slows both. */
const mostOfGood = 1.5;

/**
 * Small sites with links of many kinds, some broken in a way of their own, in random order. What the check says of each
 * link is compared with what the site is made of, and how long such a site takes with how long one without bad links does.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const chosen = quick ? sizes.quick : sizes.full;
  const size: Sizes = { ...chosen, seed: Number(argument(args, '--seed') ?? chosen.seed) };
  const folder = workFolder('verdicts');
  const dns = await startNameServer(() => 'nxdomain');
  const made = await startSites({ ...size, folder: folder.path });
  try {
    const out = join(folder.path, 'crawl');
    await writeJob(join(folder.path, 'job.json'), jobFor(made, size, dns.address));
    const crawler = startCrawler(join(folder.path, 'job.json'), out);
    const code = await crawler.ended;
    if (code !== 0) return { ok: false, result: { error: `${code}: ${crawler.output()}` } };
    const wrong = compare(made.sites, await reportOf(out));
    const share = (site: MadeSite) => timeOf(made, site) / idealMs(site, size);
    const [good, bad] = [made.sites.filter(isGood), made.sites.filter((site) => !isGood(site))];
    const shares = { good: median(good.map(share)), bad: median(bad.map(share)) };
    const ofGood = shares.bad / shares.good;
    const links = made.sites.flatMap((site) => site.links);
    if (args.includes('--list')) for (const line of wrong.lines) console.error(line);
    return {
      ok: wrong.goodCalledBroken + wrong.brokenCalledGood + wrong.notChecked === 0,
      tooSlow: ofGood > mostOfGood,
      result: {
        sites: made.sites.length,
        links: links.length,
        broken: links.filter(({ broken }) => broken).length,
        goodCalledBroken: wrong.goodCalledBroken,
        brokenCalledGood: wrong.brokenCalledGood,
        notChecked: wrong.notChecked,
        timeOfIdeal: rounded(shares.bad),
        timeOfIdealWithoutBadLinks: rounded(shares.good),
        timeOfGoodSites: rounded(ofGood),
        examples: wrong.lines.slice(0, 20),
        sizes: size,
      },
    };
  } finally {
    await made.stop();
    await dns.stop();
    folder.remove();
  }
}

const isGood = ({ links }: MadeSite): boolean => links.every(({ broken }) => !broken);
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const rounded = (value: number): number => Math.round(value * 100) / 100;

function jobFor({ sites }: MadeSites, { gapMs, timeoutMs }: Sizes, dns: string): JobInput {
  return {
    name: 'verdicts',
    seeds: sites.map(({ seed }) => seed),
    contact: 'https://lab.test/crawler',
    scraper: { site: { check: true } },
    save: ['none'],
    limits: { minFree: '50MB' },
    politeness: { gap: `${gapMs}ms`, slowFactor, connections: 1_000 },
    fetch: {
      dns: [dns],
      allowPrivate: ['127.0.0.0/8'],
      timeout: `${timeoutMs}ms`,
      retries: { count: tries - 1, backoff: '300ms', deadAfter: 2 },
    },
  };
}

function reportOf(folder: string): Promise<LinkReport> {
  const words = [commandPath, 'check', folder, '--json'];
  const options = { maxBuffer: 256 << 20, env: { ...process.env, WEBFARER_STATE: `${folder}.state` } };
  return new Promise((resolve, fail) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      // 4: links are broken.
      if (error && error.code !== 4) fail(new Error(`check: ${stderr}${stdout}`));
      else resolve(JSON.parse(stdout) as LinkReport);
    });
  });
}

/** Each made link against the report. */
function compare(sites: readonly MadeSite[], report: LinkReport) {
  const reasons = new Map(report.broken.map(({ url, reason }) => [url, reason]));
  const notChecked = new Map(report.unchecked.map(({ url, reason }) => [url, reason]));
  const lines: string[] = [];
  const counts = { goodCalledBroken: 0, brokenCalledGood: 0, notChecked: 0 };
  for (const { url, kind, broken } of sites.flatMap((site) => site.links)) {
    const reason = reasons.get(url);
    const unasked = notChecked.get(url);
    const fault =
      unasked !== undefined
        ? 'notChecked'
        : broken === (reason !== undefined)
          ? undefined
          : broken
            ? 'brokenCalledGood'
            : 'goodCalledBroken';
    if (fault === undefined) continue;
    counts[fault] += 1;
    lines.push(`${fault}: ${kind} ${url} ${reason ?? unasked ?? ''}`);
  }
  return { ...counts, lines };
}

function timeOf({ seen }: MadeSites, { seed }: MadeSite): number {
  const { firstMs, lastMs } = seen.get(new URL(seed).hostname) ?? { firstMs: 0, lastMs: 0 };
  return lastMs - firstMs;
}

/** What the requests of a site and the pauses between them take, one after the other and without a probe. */
function idealMs({ links }: MadeSite, { gapMs, slowMs, timeoutMs }: Sizes): number {
  const once = (ms = 0) => ms + gapMs;
  const each: Partial<Record<Kind, number>> = {
    slow: slowMs + Math.max(gapMs, slowMs * slowFactor),
    moved: 2 * once(),
    hang: tries * once(timeoutMs),
    cut: tries * once(),
    reset: tries * once(),
    half: tries * once(20),
    error: tries * once(),
    // No request reaches the site.
    port: 0,
    tls: 0,
    dns: 0,
  };
  // robots.txt, the root page, and each link.
  return links.reduce((sum, { kind }) => sum + (each[kind] ?? once()), 2 * once());
}
