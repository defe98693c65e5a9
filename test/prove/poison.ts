// watches: packages/coordinator/src/frontier, packages/coordinator/src/link, packages/coordinator/src/crawl
// watches: packages/worker/src/session, packages/worker/src/page, packages/cli/src/processes
// misses: a page that kills its process and stops the crawl
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, startCrawler, workFolder, writeJob } from './lab.ts';
import { startStore, type StoreKind } from './shared-crawl.ts';

/** As the job has it by default. */
const poisonAfter = 3;
/** A page that was done but not yet reported may be charged in the place of the next one, once. */
const deathsAtMost = poisonAfter + 2;
const sizes = { quick: { web: 'S', poison: 1 }, full: { web: 'M', poison: 3 } } as const;
/** So that others are in hand when a worker dies, and may be charged wrongly. */
const connections = 30;

/**
 * A few pages end every process that reads them. With two worker processes the crawl must end by itself, with one
 * (the whole command dies) when the command is typed again often enough: those pages failed(poison), all others as
 * if nothing had happened. Control: where no number of deaths is enough, the crawl ends without an end.
 * `--store redis` or `--store cluster` for the same on a store.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const kind = argument(args, '--store') as StoreKind | undefined;
  const work = workFolder('poison');
  const fake = await startFakeWeb({ size: size.web, seed: 3 });
  const poison = poisonPages(fake, size.poison);
  const { job, expect } = briskJob(fake);
  const run = (name: string, processes: number, after: number) => {
    const retries = { ...job.fetch?.retries, poisonAfter: after };
    const politeness = { ...job.politeness, connections };
    return crawl({
      fake,
      poison,
      file: join(work.path, `${name}.json`),
      folder: join(work.path, `${name}.crawl`),
      expect,
      job: { ...job, name, processes, politeness, fetch: { ...job.fetch, retries } },
      runs: processes === 1 ? poison.length * deathsAtMost + 1 : 1,
      store: kind,
    });
  };
  try {
    const several = await run('several', 2, poisonAfter);
    const alone = await run('alone', 1, poisonAfter);
    const control = await run('control', 2, 35);
    return {
      ok: several.ok && alone.ok,
      tooEasy: control.code === 0 || control.poisoned > 0 || control.left === 0,
      result: {
        poison: poison.length,
        poisoned: several.poisoned + alone.poisoned,
        innocent: several.innocent + alone.innocent,
        lost: several.lost + alone.lost,
        duplicates: several.duplicates + alone.duplicates,
        gapViolations: several.gapViolations + alone.gapViolations,
        runs: alone.runs,
        leftInControl: control.left,
        sizes: { ...size, poisonAfter, connections, store: kind ?? 'folder' },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

/** Ordinary pages of different hosts, to which many others link. */
function poisonPages(fake: FakeWeb, count: number): string[] {
  const pages: string[] = [];
  const hosts = new Set<string>();
  for (const { url, reason, kind } of fake.web.expected(briskJob(fake).expect)) {
    const { host, pathname } = new URL(url);
    if (kind !== 'page' || reason !== 'ok' || hosts.has(host) || !/^\/s\d+\/\d+$/.test(pathname)) continue;
    hosts.add(host);
    pages.push(url);
    if (pages.length === count) break;
  }
  return pages;
}

interface Crawl {
  fake: FakeWeb;
  poison: string[];
  job: JobInput;
  file: string;
  folder: string;
  expect: ExpectOptions;
  /** How often the command is typed at most. */
  runs: number;
  store: StoreKind | undefined;
}

/** Types the command until it ends well; answers how often. */
async function typeAgain({ poison, file, folder, runs, job }: Crawl, args: string[]) {
  const env = { WEBFARER_PROOF_POISON: poison.join(' ') };
  for (let typed = 1; ; typed++) {
    const crawler = startCrawler(file, folder, { args, env });
    const code = await crawler.ended;
    console.error(`  ${job.name}: ended with ${code} ${code === 0 ? '' : crawler.output().slice(-300)}`);
    if (code === 0 || typed === runs) return { code, typed };
  }
}

async function crawl(options: Crawl) {
  const { fake, poison, job, file, folder, expect } = options;
  const scraper = join(import.meta.dirname, 'poison-scraper.ts');
  await writeJob(file, { ...job, scraper });
  await fake.reset();
  const store = options.store && (await startStore(options.store));
  try {
    const { code, typed } = await typeAgain(options, store ? ['--store', store.url] : []);
    const { urls, left } = await poisonedIn(folder);
    const poisoned = poison.filter((url) => urls.has(url)).length;
    const judgement = await judgeFolder(fake, folder, expect);
    const { lost, duplicates, gapViolations } = judgement;
    const othersRight = holds(
      { ...judgement, wrong: judgement.wrong - poisoned },
      { repeats: Number.POSITIVE_INFINITY },
    );
    const ok = code === 0 && poisoned === poison.length && othersRight;
    if (code === 0 && !ok) console.error(JSON.stringify({ name: job.name, poisoned, judgement }));
    const innocent = urls.size - poisoned;
    return { ok, code, poisoned, innocent, left, runs: typed, lost, duplicates, gapViolations };
  } finally {
    await store?.stop();
  }
}

async function poisonedIn(folder: string): Promise<{ urls: Set<string>; left: number }> {
  const reader = await readFolder(folder);
  try {
    const urls = new Set<string>();
    for await (const { url } of reader.results.records(reader.crawl, { reason: 'poison' })) urls.add(url);
    const { queued, leased } = await reader.balance();
    return { urls, left: queued + leased };
  } finally {
    await reader.close();
  }
}
