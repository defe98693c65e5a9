// ci: core
// watches: packages/cli/src/forget, packages/cli/src/folder, packages/cli/src/search, packages/worker/src/erase
// watches: packages/worker/src/save, packages/worker/src/archive, packages/worker/src/mirror
// watches: packages/worker/src/stored, packages/coordinator/src/frontier, packages/coordinator/src/results
// watches: packages/coordinator/src/crawl
// misses: a forgotten host that is still named somewhere, and harm to other hosts
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type JobInput, systemClock } from '@webfarer/protocol';
import { openArchive } from '@webfarer/worker/archive';
import { tombstonesIn } from '../../packages/cli/src/local/forget-folder.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { type ForgetSite, goneHost, marker, startForgetSite } from '../forget/forget-site.ts';
import { type FoundIn, searchBytes } from '../forget/search-bytes.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { checkArchive, isWhole } from './archive-check.ts';
import { commandPath, startCrawler, until, workFolder, writeJob } from './lab.ts';

/** Long enough for a busy machine. */
const COMMAND_MS = 300_000;
const clock = systemClock();

/**
 * Several hosts that link to each other and share files are crawled into WARC, tar, plain files and Markdown, with a mirror and
 * a search index. Then one of them is forgotten, by a command that is killed at random moments and run again. Afterwards
 * every byte of the folder, decompressed, is searched for its name and for what its pages said: only the tombstone
 * names it. Bodies of all other captures are the same as before, records, index and files agree one to one, the counts
 * add up, and a crawl that fetches the other hosts again asks the host for nothing.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('forget');
  const site = await startForgetSite();
  try {
    const base = join(work.path, 'base.crawl');
    await crawl(site, base, quick);
    const before = await contentsOf(base);
    const foundBefore = searchBytes(base, [goneHost, marker]);
    const kills = quick ? 4 : 40;
    const usualMs = await timed(base, join(work.path, 'usual.crawl'));
    const total = {
      kills: 0,
      midway: 0,
      kept: 0,
      found: 0,
      tombstones: 0,
      changed: 0,
      lost: 0,
      unsound: 0,
      asked: 0,
      balanced: 0,
    };
    const rounds = quick ? 1 : 5;
    for (let round = 0; round < rounds; round++) {
      const folder = join(work.path, `round-${round}.crawl`);
      cpSync(base, folder, { recursive: true });
      const { killed, midway } = await forgetKilled(folder, { kills: kills / rounds, usualMs });
      total.kills += killed;
      total.midway += midway;
      const judged = await judge(folder, before);
      const askedBefore = site.asked(goneHost);
      await command(['retry', folder, '--verdict', 'done', '--quiet'], folder);
      const after = await judge(folder, before);
      total.asked += site.asked(goneHost) - askedBefore;
      for (const one of [judged, after]) {
        total.found += one.found;
        total.tombstones += one.tombstones;
        total.unsound += one.unsound;
        total.balanced += one.balanced;
      }
      total.kept += judged.kept;
      total.changed += judged.changed;
      total.lost += judged.lost;
    }
    const { kills: killed, midway, kept, tombstones, balanced, ...wrong } = total;
    return {
      ok:
        Object.values(wrong).every((count) => count === 0) &&
        tombstones === 2 * rounds &&
        balanced === 2 * rounds &&
        foundBefore.length >= 8 &&
        kept > 0 &&
        before.bodies.size > 0,
      tooEasy: midway === 0,
      result: {
        ...wrong,
        kills: killed,
        midway,
        kept,
        foundInFilesBefore: foundBefore.length,
        tombstones,
        balanced,
        others: before.bodies.size,
        sizes: { rounds, kills },
      },
    };
  } finally {
    await site.stop();
    work.remove();
  }
}

function jobFor(site: ForgetSite, quick: boolean): JobInput {
  return {
    name: 'request',
    seeds: site.seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web' },
    politeness: { gap: '5ms', slowFactor: 0 },
    limits: { minFree: '50MB' },
    save: ['warc', 'files', { tar: { compress: 'gz' } }, { markdown: quick ? {} : { as: 'jsonl' } }],
    mirror: {},
    fetch: { ...site.fetch, cookies: true, timeout: '20s' },
  };
}

async function crawl(site: ForgetSite, folder: string, quick: boolean): Promise<void> {
  const file = `${folder}.json`;
  await writeJob(file, jobFor(site, quick));
  const crawler = startCrawler(file, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}: ${crawler.output()}`);
  await command(['search', folder, marker], folder);
}

const forgetWords = (folder: string) => ['forget', goneHost, folder, '--yes', '--json'];

/** How long the command takes when nobody interrupts it. */
async function timed(base: string, folder: string): Promise<number> {
  cpSync(base, folder, { recursive: true });
  const started = performance.now();
  await command(forgetWords(folder), folder);
  return performance.now() - started;
}

/** Waits until the host is barred, or the command is over. */
async function begun(folder: string, child: ChildProcess): Promise<void> {
  await until(
    'a tombstone',
    async () => child.exitCode !== null || (await tombstonesIn(folder)).length > 0,
    COMMAND_MS,
  );
}

interface Killing {
  kills: number;
  usualMs: number;
}

/** Ends the command at random moments within the time it usually takes, then lets it finish. */
async function forgetKilled(folder: string, { kills, usualMs }: Killing) {
  let [killed, midway] = [0, 0];
  for (let n = 0; n < kills; n++) {
    const child = spawn(process.execPath, [commandPath, ...forgetWords(folder)], {
      stdio: 'ignore',
      env: envOf(folder),
    });
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    // The first kill comes as soon as the deletion has begun, whatever the pace; the others at any moment.
    if (n === 0) await begun(folder, child);
    else await Promise.race([ended, clock.sleep(usualMs * Math.random())]);
    child.kill('SIGKILL');
    if ((await ended) === 'SIGKILL') killed++;
    const [tombstone] = await tombstonesIn(folder);
    if (tombstone && !tombstone.done) midway++;
  }
  await command(forgetWords(folder), folder);
  const [tombstone] = await tombstonesIn(folder);
  if (!tombstone?.done) throw new Error('the tombstone does not say that all is done');
  return { killed, midway };
}

const envOf = (folder: string) => ({ ...process.env, WEBFARER_STATE: `${folder}.state` });

async function command(words: string[], folder: string): Promise<string> {
  const child = spawn(process.execPath, [commandPath, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: envOf(folder),
    timeout: COMMAND_MS,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const code = await new Promise((resolve) => child.once('exit', (exit, signal) => resolve(exit ?? signal)));
  if (code !== 0) throw new Error(`webfarer ${words.join(' ')} ended with ${String(code)}: ${text}`);
  return text;
}

interface Contents {
  /** Captures that were copied because the host that goes had their bodies. */
  kept: number;
  /** Bodies of captures of the other hosts, by URL. */
  bodies: Map<string, string>;
  known: number;
  ofHost: number;
}

async function contentsOf(folder: string): Promise<Contents> {
  const reader = await readFolder(folder);
  const archive = openArchive(folder);
  try {
    const bodies = new Map<string, string>();
    let [ofHost, kept] = [0, 0];
    for await (const { url, saved = [] } of reader.results.records(reader.crawl)) {
      if (url.includes(goneHost)) {
        ofHost++;
        continue;
      }
      for (const at of saved) {
        if (!/warc|tar|files/.test(at.saver)) continue;
        if (at.file.includes('-kept-')) kept++;
        const place = at.revisit?.original ?? at;
        const pieces: Buffer[] = [];
        for await (const piece of archive.read(place, 'body')) pieces.push(piece);
        bodies.set(`${at.saver} ${url}`, Buffer.concat(pieces).toString('latin1'));
      }
    }
    const { known } = await reader.balance();
    return { bodies, known, ofHost, kept };
  } finally {
    await reader.close();
  }
}

async function judge(folder: string, before: Contents) {
  // The name of a host that was forgotten stands in its tombstone, and nowhere else.
  const places = searchBytes(folder, [goneHost, marker]);
  const isTombstone = ({ file, count }: FoundIn) => file === 'crawl.db' && count === 1;
  const found = places.filter((place) => !isTombstone(place));
  for (const { file, count } of found) console.error(`  found ${count} times in ${file}`);
  const after = await contentsOf(folder);
  const lost = [...before.bodies.keys()].filter((key) => !after.bodies.has(key));
  const changed = [...before.bodies].filter(
    ([key, body]) => after.bodies.has(key) && after.bodies.get(key) !== body,
  );
  for (const key of lost) console.error(`  lost ${key}`);
  for (const [key] of changed) console.error(`  changed ${key}`);
  const findings = await checkArchive(folder);
  const sound = isWhole(findings);
  if (!sound) console.error(`  ${JSON.stringify(findings).slice(0, 2_000)}`);
  let unsound = sound ? 0 : 1;
  for (const file of await openArchive(folder).files()) {
    const check = await openArchive(folder).validate(file);
    if (check.ok) continue;
    unsound++;
    console.error(`  ${file.name}: ${JSON.stringify(check.problems.slice(0, 3))}`);
  }
  const reader = await readFolder(folder);
  try {
    const { known, queued, leased, done, failed, refused } = await reader.balance();
    const addsUp = known === queued + leased + done + failed + refused;
    if (!existsSync(join(folder, 'mirror'))) unsound++;
    return {
      found: found.length,
      tombstones: places.length - found.length,
      lost: lost.length,
      changed: changed.length,
      kept: after.kept,
      unsound,
      balanced: addsUp && known <= before.known - before.ofHost ? 1 : 0,
    };
  } finally {
    await reader.close();
  }
}
