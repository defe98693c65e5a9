// watches: packages/worker/src/page, packages/worker/src/scrape, packages/worker/src/crawls, packages/cli/src/handlers
// misses: code of users that throws, rejects, answers nonsense or never answers, and ends a whole crawl or a process with it
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';
import { startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { allWays, placed, throwing, type Way } from '../user-code/ways.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';

const parts = join(import.meta.dirname, '../user-code');
const execute = promisify(execFile);

/** Which ways of a call must fail the page that it is made for; all others must leave it as it is. */
interface Call {
  fails: readonly Way[];
  /** A job file can name it. */
  inJob: boolean;
  /** What the record of the page begins with where it was refused or failed already: the error is added to that. */
  beside?: string;
  /** Nobody waits for what it answers: a promise is wrong at once. */
  isNow?: true;
}

const all = [...throwing, 'never'] as const satisfies readonly Way[];
const calls: Record<string, Call> = {
  onPage: { fails: all, inJob: true },
  onResponse: { fails: all, inJob: true },
  onItem: { fails: all, inJob: true },
  items: { fails: allWays, inJob: true },
  // A promise is no data, however it would end.
  toJSON: { fails: allWays, inJob: true, isNow: true },
  getter: { fails: allWays, inJob: true, isNow: true },
  data: { fails: allWays, inJob: true, isNow: true },
  onSkipped: { fails: [], inJob: false },
  onFailed: { fails: [], inJob: false, beside: 'bad-encoding' },
  // A link that it is asked about stands on the first page, which fails.
  normalise: { fails: [], inJob: false },
  onRequest: { fails: allWays, inJob: false, isNow: true },
  'saver.save': { fails: [...throwing, 'nonsense'], inJob: true },
  'saver.sync': { fails: [], inJob: true },
  'saver.written': { fails: [], inJob: true },
};
const quickPlaces = {
  program: Object.keys(calls),
  job: ['onItem', 'items', 'saver.save'],
  network: ['items'],
};

/** Each waits more than it computes. */
const atOnce = 4;

type Place = 'program' | 'job' | 'network';
interface Findings {
  ended: string[];
  unhandled: number;
  wrong: string[];
  pages: number;
  failed: number;
}

/**
 * Each call into code of a user goes wrong in every way that JavaScript has: it throws, rejects, now or later, throws what is no error
 * or throws when it is looked at, answers nonsense, never answers. In a program, in a job file and on a worker of a network. The page it
 * was called for fails and says where in the code, all other pages are as without it, and no crawl and no process ends.
 * `--only CALL,CALL`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only')?.split(',');
  const found: Findings = { ended: [], unhandled: 0, wrong: [], pages: 0, failed: 0 };
  const work = workFolder('user-code');
  let crawls = 0;
  try {
    const runs = (['program', 'job', 'network'] as const).flatMap((place) =>
      Object.entries(calls).flatMap(([name, call]) => {
        const isLeftOut = only ? !only.includes(name) : quick && !quickPlaces[place].includes(name);
        if (isLeftOut || (!call.inJob && place !== 'program')) return [];
        return [() => proveCall(name, { call, place, under: join(work.path, `${place}-${name}`), found })];
      }),
    );
    crawls = runs.length;
    const next = async (): Promise<void> => {
      for (let run = runs.shift(); run; run = runs.shift()) await run();
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    for (const line of [...found.ended, ...found.wrong].slice(0, 30)) console.error(`  ✗ ${line}`);
    return {
      ok: crawls > 0 && found.failed > 0 && found.ended.length + found.unhandled + found.wrong.length === 0,
      result: {
        crawls,
        calls: Object.keys(calls).length,
        ways: allWays.length,
        pages: found.pages,
        pagesFailedByCode: found.failed,
        crawlsEnded: found.ended.length,
        unhandled: found.unhandled,
        wrong: found.wrong.length,
        sizes: { quick },
      },
    };
  } finally {
    work.remove();
  }
}

interface CallOptions {
  call: Call;
  place: Place;
  under: string;
  found: Findings;
}

async function proveCall(name: string, { call, place, under, found }: CallOptions): Promise<void> {
  const site = await startSite(name);
  const where = `${name} in ${place}`;
  try {
    const { folder, ended } = await places[place](name, { site, under, found });
    if (ended !== undefined) found.ended.push(`${where}: ${ended}`);
    const records = existsSync(folder) ? await recordsOf(folder) : [];
    judge(name, { call, where, records, found });
  } finally {
    await site.stop();
  }
}

/** A page for each way, and good ones around them. What onSkipped and normalise are told of stands on pages as links. */
async function startSite(name: string): Promise<SmallSite> {
  const bad = allWays.map((way) => `<a href="/bad/${way}">${way}</a>`).join(' ');
  const pages: Parameters<typeof startSmallSite>[0] = {
    '/': `${bad} <a href="/good">good</a>`,
    '/good': '<a href="/also">also</a>',
    '/also': 'the end',
  };
  for (const way of allWays)
    pages[`/bad/${way}`] =
      name === 'onFailed'
        ? { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }
        : `<p>${way}</p>`;
  return await startSmallSite(pages);
}

interface Run {
  site: SmallSite;
  under: string;
  found: Findings;
}

const job = (name: string, site: SmallSite): Partial<JobInput> => ({
  name: 'lab',
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [site.origin], retries: { count: 0 }, handlerTimeout: '1s' },
  limits: { minFree: '1MB' },
  // What onSkipped is told of.
  ...(name === 'onSkipped' ? { scope: { exclude: ['**/bad/**'] } } : {}),
  ...(name.startsWith('saver.') ? { save: [join(parts, 'saver.ts')] as never } : { save: ['none'] }),
});

const places: Record<Place, (name: string, run: Run) => Promise<{ folder: string; ended?: string }>> = {
  async program(name, { site, under, found }) {
    const folder = `${under}.crawl`;
    const env = { ...process.env, LAB_CALL: name, WEBFARER_STATE: `${under}.state` };
    const words = [join(parts, 'program.ts'), folder, site.origin, JSON.stringify(job(name, site))];
    const options = { env, timeout: 60_000, maxBuffer: 1e7 };
    const { stdout } = await execute(process.execPath, words, options).catch((error: Error) => ({
      stdout: JSON.stringify({ state: 'process', error: error.message.slice(-300), unhandled: 0 }),
    }));
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, string | number>;
    found.unhandled += Number(last['unhandled']);
    return last['state'] === 'finished'
      ? { folder }
      : { folder, ended: `${last['state']} ${last['error'] ?? ''}` };
  },
  async job(name, { site, under }) {
    const file = `${under}.json`;
    await writeJob(file, {
      ...job(name, site),
      seeds: [`${site.origin}/`],
      scraper: join(parts, 'handlers.ts'),
    } as JobInput);
    const crawler = startCrawler(file, `${under}.crawl`, { env: { LAB_CALL: name } });
    const code = await crawler.ended;
    const isOver = code === 0 || code === 4;
    return {
      folder: `${under}.crawl`,
      ...(isOver ? {} : { ended: `exit ${code}: ${crawler.output().slice(-300)}` }),
    };
  },
  async network(name, { site, under }) {
    const file = `${under}.json`;
    await writeJob(file, {
      ...job(name, site),
      contact: 'https://lab.test/crawler',
      seeds: [`${site.origin}/`],
      scraper: join(parts, 'handlers.ts'),
    } as JobInput);
    const network = await startNetwork({ job: file, under, workers: 0, untilDone: true });
    try {
      const worker = await network.addWorker({ env: { LAB_CALL: name } });
      const [coordinator] = network.coordinators;
      const code = await coordinator?.ended();
      const died = worker.running ? '' : await worker.ended();
      const isOver = (code === 0 || code === 4) && (died === '' || died === 0);
      const folder = coordinator?.folder ?? '';
      return isOver
        ? { folder }
        : { folder, ended: `coordinator ${code}, worker ${died}: ${worker.output().slice(-300)}` };
    } finally {
      await network.end();
    }
  },
};

async function recordsOf(folder: string): Promise<PageRecord[]> {
  const reader = await readFolder(folder);
  try {
    const found: PageRecord[] = [];
    for await (const record of reader.results.records(reader.crawl)) found.push(record);
    return found;
  } finally {
    await reader.close();
  }
}

interface Judged {
  call: Call;
  where: string;
  records: readonly PageRecord[];
  found: Findings;
}

function judge(name: string, { call, where, records, found }: Judged): void {
  const byPath = new Map(records.map((record) => [new URL(record.url).pathname, record]));
  const wrong = (path: string, why: string) => void found.wrong.push(`${where}, ${path}: ${why}`);
  const said = ({ verdict, reason, detail = '' }: PageRecord) => `${verdict}(${reason}) ${detail}`;
  found.pages += records.length;
  // The links of the first page are what these two are called for.
  const isOfLinks = name === 'normalise' || name === 'onSkipped';
  const first = byPath.get('/');
  if (!first) return wrong('/', 'no record');
  if (isOfLinks) {
    if (first.reason !== 'handler' || !first.detail?.startsWith(`${name}: `)) wrong('/', said(first));
    else found.failed++;
    return;
  }
  for (const path of ['/', '/good', '/also'])
    if (byPath.get(path)?.reason !== 'ok')
      wrong(path, byPath.has(path) ? said(byPath.get(path) as PageRecord) : 'no record');
  for (const way of allWays) {
    const record = byPath.get(`/bad/${way}`);
    if (!record) wrong(`/bad/${way}`, 'no record');
    else if (call.beside !== undefined) {
      if (record.reason !== call.beside) wrong(way, said(record));
    } else if (!call.fails.includes(way)) {
      if (record.reason !== 'ok') wrong(way, said(record));
    } else if (record.verdict !== 'failed') wrong(way, `${said(record)}, but the code went wrong`);
    else {
      found.failed++;
      // An answer that never came is told by its time, one that is nonsense by what it is.
      const knows = call.isNow ? way === 'throws' : placed.includes(way);
      if (knows && !/\(.*(?:ways|handlers|saver)\.ts:\d+:\d+\)/.test(record.detail ?? ''))
        wrong(way, `does not say where: ${said(record)}`);
    }
  }
}
