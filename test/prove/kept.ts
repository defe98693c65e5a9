// watches: packages/worker/src/save, packages/worker/src/page, packages/worker/src/bytes, packages/worker/src/stored
// watches: packages/coordinator/src/folder, packages/protocol/src/job
// misses: answers that are stored nowhere without a reason, and recrawls that refer to bodies nobody has
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import {
  type ArchivedAnswer,
  readInPython,
  readInScript,
  resolved,
  sha1,
  warcFiles,
} from '../kept/archives.ts';
import {
  type JudgedCrawl,
  judgeCrawl,
  type KeptFindings,
  noFindings,
  type SaverName,
} from '../kept/judge.ts';
import { labMaxBody, type MadeSite, startSite } from '../kept/site.ts';
import { readFiles, readMarkdown, readOwn, readRedis, readTars, type Stored } from '../kept/stores.ts';
import { startPywb } from '../outside/pywb.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';

type Save = NonNullable<JobInput['save']>;

/** What each crawl of a chain saves to; each is the recrawl of the one before it. */
const chains: Record<string, readonly Save[]> = {
  archive: [['warc'], ['warc'], ['warc']],
  'archive-late': [['none'], ['warc'], ['warc']],
  'archive-beside': [
    ['files', 'markdown'],
    ['warc', 'files', 'markdown'],
    ['warc', 'files', 'markdown'],
  ],
  'lines-and-tar': [
    ['tar', { markdown: { as: 'jsonl' } }],
    ['tar', { markdown: { as: 'jsonl' } }],
  ],
  'default-types': [
    ['warc', 'files', 'markdown'],
    ['warc', 'files', 'markdown'],
  ],
  'archive-gap': [['warc'], ['none'], ['warc']],
  whole: [[{ warc: { dedupe: false } }], [{ warc: { dedupe: false } }], ['warc']],
  changing: [['files'], ['tar', 'markdown'], ['warc', 'own' as never], ['warc', 'files']],
  own: [
    ['own' as never, 'warc'],
    ['own' as never, 'warc'],
  ],
  redis: [['redis'], ['redis'], ['redis', 'warc']],
};
const quickChains = ['archive', 'archive-late', 'archive-beside', 'lines-and-tar', 'default-types', 'redis'];

/**
 * A site with one answer of each kind is crawled and recrawled with each saver, also where the savers change between. What
 * others read in the folders is compared with what the site sent: every answer is there or says why not, nothing is there that was
 * not to be kept, and no revisit refers to what does not exist. `warc` compares the bytes of one crawl, `savers` kills it, `recrawl`
 * looks for changes; none of them looks for what was left out. The full form lets pywb show every page of each archive. `--only NAME,NAME`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only')?.split(',') ?? (quick ? quickChains : Object.keys(chains));
  const names = Object.keys(chains).filter((name) => only.includes(name));
  const work = workFolder('kept');
  const found = noFindings();
  try {
    const read = quick ? readInScript : readInPython;
    const seen = await Promise.all(
      names.map((name) => proveChain(name, { work: work.path, found, read, quick })),
    );
    const lines = [
      ...found.lost,
      ...found.wrong,
      ...found.dangling,
      ...found.againstWish,
      ...found.unexplained,
    ];
    for (const line of lines.slice(0, 40)) console.error(`  ✗ ${line}`);
    const notShown = seen.flatMap((one) => one.notShown);
    for (const line of notShown.slice(0, 20)) console.error(`  ✗ pywb: ${line}`);
    const control = seen.reduce((sum, one) => sum + one.danglingOfControl, 0);
    return {
      ok:
        lines.length + notShown.length === 0 &&
        found.looked > 0 &&
        (control > 0 || !names.includes('archive')),
      result: {
        chains: names.length,
        crawls: names.reduce((sum, name) => sum + (chains[name]?.length ?? 0), 0),
        looked: found.looked,
        lost: found.lost.length,
        wrong: found.wrong.length,
        dangling: found.dangling.length,
        keptAgainstWish: found.againstWish.length,
        unexplained: found.unexplained.length,
        ...(quick
          ? {}
          : { pagesInPywb: seen.reduce((sum, one) => sum + one.shown, 0), notShown: notShown.length }),
        danglingOfControl: control,
      },
    };
  } finally {
    work.remove();
  }
}

interface ChainParts {
  work: string;
  found: KeptFindings;
  read: (files: readonly string[]) => Promise<ArchivedAnswer[]>;
  quick: boolean;
}

interface ChainResult {
  /** Revisits without a target where the first archive is left out. */
  danglingOfControl: number;
  shown: number;
  notShown: string[];
}

async function proveChain(name: string, parts: ChainParts): Promise<ChainResult> {
  const site = await startSite();
  const redis = name === 'redis' ? await startRedis() : undefined;
  try {
    const folder = join(parts.work, name);
    await mkdir(folder);
    const crawls: JudgedCrawl[] = [];
    const archives: string[] = [];
    for (const [n, save] of (chains[name] ?? []).entries()) {
      site.crawl = n + 1;
      const types =
        name === 'default-types' ? {} : { types: { save: ['text/*', 'application/*', 'image/*'] } };
      const at = await crawlOnce(site, { folder, save, types, isFirst: n === 0, redis: redis?.url });
      const files = await warcFiles(at);
      archives.push(...files);
      const port = redis?.nodes[0]?.port;
      crawls.push({
        savers: saversOf(save),
        archived: await parts.read(files),
        stored: await storedIn(at, saversOf(save), port),
        records: await recordsOf(at),
      });
      judgeCrawl(site, crawls, prefixed(name, parts.found));
    }
    const later = crawls.slice(1).flatMap(({ archived }) => archived);
    const danglingOfControl = later.filter((answer) => !resolved(answer, later)).length;
    const pywb =
      parts.quick || archives.length === 0
        ? { shown: 0, notShown: [] }
        : await showIn(folder, { site, archives, crawls });
    return { danglingOfControl, ...pywb };
  } finally {
    await site.stop();
    await redis?.stop();
  }
}

/** Findings whose lines begin with the name of the chain. */
function prefixed(name: string, found: KeptFindings): KeptFindings {
  const into = (lines: string[]): string[] => {
    const own: string[] = [];
    own.push = (...more) => lines.push(...more.map((line) => `${name}, ${line}`));
    return own;
  };
  const { lost, wrong, dangling, againstWish, unexplained } = found;
  return {
    lost: into(lost),
    wrong: into(wrong),
    dangling: into(dangling),
    againstWish: into(againstWish),
    unexplained: into(unexplained),
    get looked() {
      return found.looked;
    },
    set looked(value) {
      found.looked = value;
    },
  };
}

interface CrawlOnce {
  folder: string;
  save: Save;
  /** What the job says of content types; nothing: what is saved by default. */
  types: { types?: { save: string[] } };
  isFirst: boolean;
  redis: string | undefined;
}

/** Answers the folder of the crawl. */
async function crawlOnce(
  site: MadeSite,
  { folder, save, types, isFirst, redis }: CrawlOnce,
): Promise<string> {
  const job: JobInput = {
    name: 'kept',
    seeds: [`${site.origin}/`],
    contact: 'https://lab.test/crawler',
    scraper: { site: { check: true } },
    scope: { requisites: true },
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: {
      allowPrivate: ['127.0.0.0/8'],
      maxBody: `${labMaxBody}B`,
      retries: { count: 0 },
      ...types,
    },
    limits: { minFree: '1MB' },
    save: save.map((one) =>
      (one as unknown) === 'own' ? join(import.meta.dirname, '../kept/own-saver.ts') : one,
    ) as Save,
  };
  const file = join(folder, `job-${site.crawl}.json`);
  await writeJob(file, job);
  const crawler = startCrawler(file, join(folder, 'c.crawl'), {
    args: isFirst ? [] : ['--recrawl'],
    ...(redis === undefined ? {} : { env: { WEBFARER_SAVE_REDIS: redis } }),
  });
  const code = await crawler.ended;
  // 4: links are broken, as they are meant to be.
  if (code !== 0 && code !== 4)
    throw new Error(`crawl ${site.crawl} in ${folder} ended with ${code}:\n${crawler.output()}`);
  return join(folder, isFirst ? 'c.crawl' : `c.${site.crawl}.crawl`);
}

function saversOf(save: Save): SaverName[] {
  const names = save.map((one) => (typeof one === 'string' ? one : Object.keys(one)[0]));
  return names.filter((name) => name !== 'none') as SaverName[];
}

async function storedIn(
  folder: string,
  savers: readonly SaverName[],
  redisPort = 0,
): Promise<JudgedCrawl['stored']> {
  const readers: Partial<Record<SaverName, () => Promise<Stored>>> = {
    files: () => readFiles(folder),
    tar: () => readTars(folder),
    markdown: () => readMarkdown(folder),
    own: () => readOwn(folder),
    redis: () => readRedis(redisPort),
  };
  const stored: JudgedCrawl['stored'] = {};
  for (const saver of savers) {
    const found = await readers[saver]?.();
    if (found) stored[saver] = found;
  }
  return stored;
}

async function recordsOf(folder: string): Promise<Map<string, PageRecord>> {
  const reader = await readFolder(folder);
  try {
    const found = new Map<string, PageRecord>();
    for await (const record of reader.results.records(reader.crawl)) found.set(record.url, record);
    return found;
  } finally {
    await reader.close();
  }
}

interface Shown {
  site: MadeSite;
  archives: readonly string[];
  crawls: readonly JudgedCrawl[];
}

/** Whether pywb shows for every capture the bytes that the site sent then. */
async function showIn(folder: string, { site, archives, crawls }: Shown) {
  const pywb = await startPywb(join(folder, 'pywb'), { kept: archives });
  const notShown: string[] = [];
  let shown = 0;
  try {
    for (const [n, { archived }] of crawls.entries())
      for (const { url, date, refersTo } of archived) {
        const page = site.pages.get(url.slice(site.origin.length));
        const plain = page?.body(n + 1);
        if (!page || plain === undefined || (page.status ?? 200) !== 200) continue;
        shown += 1;
        // Asked for a "not modified" pywb answers with it, not with what it refers to.
        const isOld = site.answered.some(
          (one) => one.crawl === n + 1 && one.path === page.path && one.status === 304,
        );
        const [from, then] = isOld ? (refersTo?.split(' ') ?? []) : [url, date];
        const stamp = then?.replace(/\D/g, '').slice(0, 14);
        const answer = await fetch(`${pywb.origin}/kept/${stamp}id_/${from}`);
        const body = Buffer.from(await answer.arrayBuffer());
        const wanted = Buffer.from(plain).subarray(0, page.gzip ? undefined : labMaxBody);
        if (answer.status !== 200 || sha1(body) !== sha1(wanted))
          notShown.push(`crawl ${n + 1}: ${url} answers ${answer.status}`);
      }
    return { shown, notShown };
  } finally {
    await pywb.stop();
  }
}
