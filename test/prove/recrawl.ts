// watches: packages/coordinator/src/frontier, packages/coordinator/src/results
// watches: packages/coordinator/src/crawl/comparing, packages/coordinator/src/crawl, packages/worker/src/fetch
// watches: packages/worker/src/page, packages/cli/src/crawl, packages/cli/src/view, packages/protocol/src/job
// misses: changes that a recrawl does not find, and validators that are not sent
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { WebSize } from '../fake-web/hosts.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';
import { holds, judge } from '../judge/judge.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { recrawlShop } from './recrawl-items.ts';
import { changedTruth, recrawlExpected } from './changed-truth.ts';
import { argument, briskJob, commandPath, labGapMs, until, workFolder, writeJob } from './lab.ts';

/**
 * The fake web is crawled, then changes in known places, then is crawled again with `--recrawl`, which is
 * stopped on the way and gone on with. Every URL must be recorded with its right outcome, every page that has
 * a validator asked for with it, and `report --changes` must name exactly what changed. Then the same of a shop, by
 * its items: see `recrawlShop`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = (argument(args, '--web') ?? (quick ? 'S' : 'M')) as WebSize;
  const folder = workFolder('recrawl');
  const fake = await startFakeWeb({ size, seed: Number(argument(args, '--seed') ?? 1) });
  try {
    const { job, expect } = briskJob(fake);
    const file = join(folder.path, 'job.json');
    await writeJob(file, {
      ...job,
      politeness: { gap: `${labGapMs}ms`, slowFactor: 0, connections: quick ? 100 : 200 },
    });
    const run = (...words: string[]) => command(folder.path, ['run', file, ...words]);
    await run('--quiet').finished();
    const before = fake.web;
    const after = await fake.turn(1);
    await fake.clearLog();
    const stopped = await stopHalfway(fake, run('--quiet', '--recrawl'), expectedRequests(after, expect) / 3);
    await run('--quiet', '--recrawl').finished();
    const webs = { before, after, expect };
    const found = await judgeRecrawl(fake, join(folder.path, 'lab.2.crawl'), webs);
    const told = await command(folder.path, ['report', '--changes', '--json']).finished();
    const changes = compareChanges(told, webs);
    const third = existsSync(join(folder.path, 'lab.3.crawl'));
    const { withoutValidators } = found;
    const shop = quick ? { products: 96, kills: 1 } : { products: 960, kills: 5 };
    const items = await recrawlShop(folder.path, shop);
    const itemsHold = items.wrongItems + items.wrongMarks === 0 && items.itemsKilled === shop.kills;
    const ok =
      found.holds &&
      changes.wrongChange === 0 &&
      withoutValidators === 0 &&
      stopped &&
      !third &&
      itemsHold &&
      items.itemsNotModified > 0;
    return { ok, result: { ...found, ...changes, stopped, third, ...items, sizes: { web: size, ...shop } } };
  } finally {
    await fake.stop();
    folder.remove();
  }
}

interface Webs {
  before: Web;
  after: Web;
  expect: ExpectOptions;
}

interface Running {
  interrupt(): void;
  ended: Promise<number | string>;
  /** What it wrote to stdout, once it has ended well. */
  finished(): Promise<string>;
}

function command(cwd: string, words: string[]): Running {
  const child = spawn(process.execPath, [commandPath, ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (err += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  return {
    ended,
    interrupt: () => void child.kill('SIGINT'),
    async finished() {
      const code = await ended;
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${out.slice(-4_000)}${err}`);
      return out;
    },
  };
}

/** True when it was stopped on the way and said so. */
async function stopHalfway(fake: FakeWeb, crawl: Running, requests: number): Promise<boolean> {
  await until('a part of the recrawl', async () => (await fake.stats()).requests >= requests, 600_000);
  crawl.interrupt();
  return (await crawl.ended) === 130;
}

function expectedRequests(web: Web, expect: ExpectOptions): number {
  return [...web.expected(expect)].length;
}

async function judgeRecrawl(fake: FakeWeb, folder: string, webs: Webs) {
  const log = await fake.log();
  const reader = await readFolder(folder);
  try {
    const judgement = await judge({
      web: { ...webs.after, expected: (expect) => recrawlExpected(webs, expect) },
      expect: webs.expect,
      log,
      records: reader.results.records(reader.crawl),
      gapMs: labGapMs,
      hostPages: fake.web.hostBudget(),
      balance: await reader.balance(),
    });
    const { byStatus } = await reader.totals();
    const notModified = byStatus['304'] ?? 0;
    const { expected, recorded, lost, extra, duplicates, wrong, repeats, gapViolations, balanced } =
      judgement;
    const share = Math.round((notModified / Math.max(1, recorded)) * 100) / 100;
    const asked = judgeValidators(log, webs);
    const examples = wrong + lost + extra === 0 ? {} : { examples: judgement.recordExamples };
    return {
      holds: holds(judgement),
      expected,
      recorded,
      lost,
      extra,
      duplicates,
      wrong,
      repeats,
      gapViolations,
      balanced,
      notModified,
      notModifiedShare: share,
      ...asked,
      ...examples,
    };
  } finally {
    await reader.close();
  }
}

/** Of the pages that had a validator the last time, which were asked for without it? */
function judgeValidators(log: readonly LogEntry[], { before, after, expect }: Webs) {
  const had = new Set<string>();
  for (const { url, validator } of changedTruth({ before, after, expect })) if (validator) had.add(url);
  let [validators, withoutValidators] = [0, 0];
  for (const { scheme, host, path, headers } of log) {
    const carries = /^if-(?:none-match|modified-since):/im.test(headers);
    if (carries) validators++;
    const port = scheme === 'http' ? after.httpPort : after.httpsPort;
    if (!carries && had.has(`${scheme}://${host}:${port}${path}`)) withoutValidators++;
  }
  return { validators, withoutValidators };
}

/** `report --changes --json` against the truth. */
function compareChanges(told: string, webs: Webs) {
  const said = new Map<string, string>();
  for (const line of told.split('\n').filter((text) => text !== '')) {
    const { url, change } = JSON.parse(line) as { url: string; change: string };
    said.set(url, change);
  }
  const counts = { new: 0, changed: 0, gone: 0, unchanged: 0 };
  const wrongs: string[] = [];
  let wrongChange = 0;
  for (const { url, change } of changedTruth(webs)) {
    if (change === undefined) continue;
    counts[change]++;
    if (said.get(url) !== change) {
      wrongChange++;
      if (wrongs.length < 10) wrongs.push(`${url} is ${change}, not ${said.get(url)}`);
    }
    said.delete(url);
  }
  wrongChange += said.size;
  for (const [url, change] of [...said].slice(0, 10)) wrongs.push(`${url} is nothing, not ${change}`);
  return { ...counts, wrongChange, ...(wrongs.length > 0 ? { wrongs } : {}) };
}
