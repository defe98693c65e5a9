// watches: packages/worker/src, packages/coordinator/src/crawl, packages/coordinator/src/frontier/sqlite
// watches: packages/coordinator/src/results, packages/cli/src/crawling, packages/cli/src/local
// misses: the measurement of pages a second of CPU no longer runs
import { cpus, loadavg } from 'node:os';
import { argument, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Contender, contend, type Round } from './broad/contenders.ts';
import { installPeers } from './broad/peers.ts';
import { type Ratio, ratioOf } from './broad/statistics.ts';
import type { Web } from './broad/web.ts';
import { type ProfileName, startWeb } from './broad/webs.ts';
import type { Finished, Task } from './broad/work.ts';

const concurrency = 32;
/** At least this much of the other, in pages per second of CPU, on the judged profile. */
const bars = { oursToBare: 0.6, oursToBareWarc: 0.4, oursToCrawlee: 6, oursToScrapy: 4 };
/** The quick form only shows that everything runs: most of its time is starting up. */
const quickBar = 0.1;

interface Plan {
  profile: ProfileName;
  rounds: number;
  /** The slow ones take part in every so manieth round. */
  peersEvery: number;
}
const plans: Plan[] = [
  { profile: 'medium', rounds: 7, peersEvery: 3 },
  { profile: 'small', rounds: 3, peersEvery: 3 },
  { profile: 'real', rounds: 3, peersEvery: 3 },
  { profile: 'tls', rounds: 3, peersEvery: 3 },
];

/**
 * Pages per second of CPU of whole process trees, the product against a bare loop and against others, on
 * the same pages. Contenders take turns within each round; a figure is the median of the rounds' ratios.
 * `--profile NAME`, `--rounds N` and `--only NAME,NAME` make it shorter.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const only = argument(args, '--only')?.split(',') as Contender[] | undefined;
  const peers = quick || only ? [] : (Object.keys(await installPeers()) as Contender[]);
  const fast: Contender[] = only ?? (quick ? ['bare', 'ours'] : ['bare', 'bareScanner', 'ours', 'oursWarc']);
  const work = workFolder('broad');
  const profiles: Record<string, Measured> = {};
  try {
    for (const plan of chosen(quick, args)) {
      const web = await startWeb(plan.profile, {
        folder: work.path,
        corpora: process.env.WEBFARER_CORPORA,
        quick,
      });
      if (!web) continue;
      try {
        console.error(`${plan.profile}: ${JSON.stringify(web.facts)}`);
        profiles[plan.profile] = await measure({ plan, web, fast, peers, folder: work.path });
      } finally {
        await web.stop();
      }
    }
  } finally {
    work.remove();
  }
  return judge(profiles, quick);
}

function chosen(quick: boolean, args: string[]): Plan[] {
  if (quick) return [{ profile: 'medium', rounds: 1, peersEvery: 1 }];
  const name = argument(args, '--profile');
  const rounds = argument(args, '--rounds');
  return plans
    .filter(({ profile }) => name === undefined || profile === name)
    .map((plan) => ({ ...plan, rounds: rounds === undefined ? plan.rounds : Number(rounds) }));
}

type Ratios = Record<keyof typeof bars | 'oursToBareScanner', Ratio>;

interface Measured {
  ratios: Ratios;
  /** Everybody fetched the same URLs. */
  samePages: boolean;
  sameLinks: boolean;
  links: Record<string, number>;
  pagesPerCpuSecond: Record<string, number>;
  pagesPerSecond: Record<string, number>;
  rssMiB: Record<string, number>;
  pages: Record<string, number>;
  /** CPU time of loading code, not part of the ratios. */
  startCpuMs: Record<string, number>;
  /** The product's CPU time by part, in milliseconds. */
  parts: Record<string, Parts>;
  load: number;
  web: Record<string, unknown>;
}

/** Loading code and opening the crawl; from there to the last page; outputs, and closing the crawl. */
interface Parts {
  fixed: number;
  pages: number;
  outputs: number;
}

function partsOf({ startCpuMs, cpuMs, marks: { opened = 0, pages = 0 } = {} }: Finished): Parts {
  return { fixed: startCpuMs + opened, pages: pages - opened, outputs: cpuMs - pages };
}

interface MeasureOptions {
  plan: Plan;
  web: Web;
  fast: Contender[];
  peers: Contender[];
  folder: string;
}

async function measure({ plan, web, fast, peers, folder }: MeasureOptions): Promise<Measured> {
  const { seeds, inside, ca } = web;
  const task: Task = { seeds, inside, concurrency, folder, ...(ca === undefined ? {} : { ca }) };
  const rounds: Round[] = [];
  for (let n = 0; n < plan.rounds; n++) {
    const names = n % plan.peersEvery === 0 ? [...fast, ...peers] : fast;
    const round: Round = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + n) % names.length] as Contender;
      round[name] = await contend(name, task);
    }
    rounds.push(round);
    const told = names.map((name) => `${name} ${Math.round(speed(round[name]) ?? 0)}`).join(', ');
    console.error(`  round ${n + 1}: ${told} pages per CPU second`);
  }
  const measured = summarise(rounds, web);
  for (const [name, { fixed, pages, outputs }] of Object.entries(measured.parts))
    console.error(`  ${name}, CPU ms: fixed ${fixed}, pages ${pages}, outputs ${outputs}`);
  return measured;
}

/** Medians, of the contenders that tell their parts. */
function eachPart(rounds: Round[]): Record<string, Parts> {
  const told = rounds.map(
    (round) =>
      Object.fromEntries(Object.entries(round).filter(([, { marks = {} }]) => 'pages' in marks)) as Round,
  );
  const [fixed, pages, outputs] = (['fixed', 'pages', 'outputs'] as const).map((part) =>
    each(told, (finished) => partsOf(finished)[part]),
  );
  return Object.fromEntries(
    Object.keys(pages ?? {}).map((name) => [
      name,
      { fixed: fixed?.[name] ?? 0, pages: pages?.[name] ?? 0, outputs: outputs?.[name] ?? 0 },
    ]),
  );
}

function summarise(rounds: Round[], web: Web): Measured {
  const ratio = (ours: Contender, other: Contender): Ratio =>
    ratioOf(
      rounds.flatMap((round) => {
        const [a, b] = [speed(round[ours]), speed(round[other])];
        return a === undefined || b === undefined ? [] : [a / b];
      }),
    );
  const all = rounds.flatMap((round) => Object.values(round));
  return {
    ratios: {
      oursToBare: ratio('ours', 'bare'),
      oursToBareWarc: ratio('oursWarc', 'bare'),
      oursToCrawlee: ratio('ours', 'crawlee'),
      oursToScrapy: ratio('ours', 'scrapy'),
      oursToBareScanner: ratio('ours', 'bareScanner'),
    },
    samePages: new Set(all.map(({ digest }) => digest)).size === 1,
    sameLinks: new Set(all.map(({ links }) => links)).size === 1,
    links: each(rounds, ({ links }) => links),
    pagesPerCpuSecond: each(rounds, (finished) => Math.round(speed(finished) ?? 0)),
    pagesPerSecond: each(rounds, ({ pages, wallMs }) => Math.round((pages / wallMs) * 1_000)),
    rssMiB: each(rounds, ({ rssMiB }) => rssMiB),
    pages: each(rounds, ({ pages }) => pages),
    startCpuMs: each(rounds, ({ startCpuMs }) => startCpuMs),
    parts: eachPart(rounds),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    web: web.facts,
  };
}

/** The median of a figure over the rounds, for each contender. */
function each(rounds: Round[], figure: (finished: Finished) => number): Record<string, number> {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round) as Contender[]))];
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds.flatMap((round) => (round[name] ? [figure(round[name])] : []));
      return [name, ratioOf(values).median ?? 0];
    }),
  );
}

function speed(finished: Finished | undefined): number | undefined {
  return finished && (finished.pages / finished.cpuMs) * 1_000;
}

function judge(profiles: Record<string, Measured>, quick: boolean): BenchResult {
  const judged = (profiles.medium ?? Object.values(profiles)[0])?.ratios;
  const reached = quick
    ? (judged?.oursToBare.median ?? 0) >= quickBar
    : Object.entries(bars).every(([name, bar]) => (judged?.[name as keyof typeof bars].median ?? 0) >= bar);
  // Real pages are read by four parsers, which differ on broken markup: their pages must be the same.
  const same = Object.entries(profiles).every(
    ([name, { samePages, sameLinks }]) => samePages && (sameLinks || name === 'real'),
  );
  const medians = Object.fromEntries(
    Object.entries(judged ?? {}).map(([name, { median }]) => [name, median]),
  );
  return {
    ok: reached && same,
    result: { ...medians, same, bars, profiles, sizes: { concurrency, cores: cpus().length, quick } },
  };
}
