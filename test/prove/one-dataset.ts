// ci: long
// watches: packages/worker/src/objects, packages/worker/src/archive, packages/worker/src/erase
// watches: packages/worker/src/save, packages/cli/src/export, packages/cli/src/forget
// watches: packages/coordinator/src/network, packages/coordinator/src/results
// misses: an archive in object storage that one coordinator cannot read as a whole
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { hostMatch, surt } from '@webfarer/protocol/url';
import { base32 } from '@webfarer/worker';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { validateWacz } from '../../packages/cli/src/export/wacz-validate.ts';
import { faultJob } from '../faults/fault-job.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { judge } from '../judge/judge.ts';
import { isRight } from '../faults/run-row.ts';
import { type Network, startNetwork } from '../network/launcher.ts';
import {
  archiveContents,
  changedRecords,
  hostToDelete,
  keysNaming,
  tracesIn,
} from '../objects/deleted-host.ts';
import { areExact, judgeObjects } from '../objects/judge-objects.ts';
import { type S3Server, startS3 } from '../objects/s3-server.ts';
import { startPywb } from '../outside/pywb.ts';
import { run } from '../outside/tools.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { commandPath, until, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: { coordinators: 3, workers: 6, rotate: '200KB', replayed: 40, few: true },
  full: { coordinators: 3, workers: 6, rotate: '1MB', replayed: 1_000, few: false },
} as const;
const crawlMs = 240_000;
/** What the worker that is killed has on its disk by then. */
const killedBytes = 60_000;

/**
 * A crawl of three coordinators on one store and six workers, one of which is killed for good, with its archive in object
 * storage. Afterwards the folder of one coordinator is enough: upkeep, one WACZ of the whole crawl, replay by pywb. The
 * objects are judged by their bytes on the disk of the S3 server. Then a host is deleted as the command asks for it, and
 * looked for in all objects, in the store and in the folders of all processes; every record of another host is where it
 * was, with the same bytes.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('one-dataset');
  const s3 = await startS3();
  // What a key is dumped as is then what it holds, byte for byte.
  const store = await startRedis({ settings: { rdbcompression: 'no' } });
  const fake = await startFakeWeb({ size: 'S', seed: 3, longestFetchMs: 2_000 });
  try {
    const { expect, gapMs } = await crawl({ s3, store, fake, size, under: work.path });
    const folder = join(work.path, 'coordinator-1');
    const upkeep = JSON.parse(await webfarer('storage', 'tidy', folder, '--grace', '0', '--json')) as object;
    const wacz = join(work.path, 'whole.wacz');
    await webfarer('export', folder, '--wacz', wacz);
    const valid = await webfarer('warc', 'validate', folder);
    const reader = await readFolder(folder);
    try {
      const records = () => reader.results.records(reader.crawl);
      const judgement = await judge({
        web: fake.web,
        expect,
        log: await fake.log(),
        records: records(),
        gapMs,
        hostPages: fake.web.hostBudget(),
        balance: await reader.balance(),
      });
      const [crawlDir = ''] = readdirSync(join(s3.folder, 'crawls'));
      const objects = await judgeObjects({
        folder: join(s3.folder, 'crawls', crawlDir),
        records: records(),
      });
      const check = await validateWacz(wacz);
      const replay = await replayed(wacz, records(), join(work.path, 'pywb'), size.replayed);
      const members = await membersOf(records());
      const deleted = await deletion({
        folder,
        under: work.path,
        objects: join(s3.folder, 'crawls', crawlDir),
        bucket: s3.folder,
        store: store.url,
      });
      return {
        ok:
          isDeleted(deleted) &&
          isRight(judgement) &&
          areExact(objects) &&
          check.ok &&
          check.captures === objects.records &&
          replay.wrong.length === 0 &&
          replay.pages > 0,
        tooEasy: !hadTraces(deleted) || replay.folders === 0 || members !== size.workers,
        result: {
          lost: judgement.lost,
          duplicates: judgement.duplicates,
          expected: judgement.expected,
          workersWithCaptures: members,
          objects: { ...objects, wrong: objects.wrong.slice(0, 5) },
          upkeep,
          validated: valid.split('\n').filter((line) => line.includes('✓')).length,
          wacz: { captures: check.captures, pages: check.pages, problems: check.problems.slice(0, 5) },
          replay: {
            pages: replay.pages,
            folders: replay.folders,
            wrong: replay.wrong.length,
            examples: replay.wrong.slice(0, 5),
          },
          deleted: { ...deleted, traces: deleted.traces.slice(0, 5), changed: deleted.changed.slice(0, 5) },
          found: deleted.traces.length,
          sizes: size,
        },
      };
    } finally {
      await reader.close();
    }
  } finally {
    await fake.stop();
    await store.stop();
    await s3.stop();
    work.remove();
  }
}

interface DeletionParts {
  /** Of one coordinator. */
  folder: string;
  /** Of all processes. */
  under: string;
  /** Of the crawl, as the S3 server has them. */
  objects: string;
  bucket: string;
  store: string;
}

/** Deletes a host as the command asks for it, and looks for it everywhere. */
async function deletion({ folder, under, objects, bucket, store }: DeletionParts) {
  const { id: member } = JSON.parse(readFileSync(join(under, 'worker-1', 'worker.json'), 'utf8')) as {
    id: string;
  };
  const host = await fromRecords(folder, (records) => hostToDelete(records, { member, not: ['hub0.test'] }));
  const archive = join(objects, 'archive');
  const before = await archiveContents(archive, host);
  const tracesBefore = await everywhere(host, before.words);
  const first = await forget(host, folder);
  // The worker that was killed has files on its disk: the answer says so.
  const onWorker = await forget(host, join(under, 'worker-1', 'dataset.crawl'));
  const onOthers = [];
  for (const name of ['coordinator-2', 'coordinator-3']) onOthers.push(await forget(host, join(under, name)));
  const again = await forget(host, folder);
  const after = await archiveContents(archive, host);
  const keys = await keysNaming(store, host);
  const wacz = join(under, 'after.wacz');
  await webfarer('export', folder, '--wacz', wacz);
  const check = await validateWacz(wacz);
  const judged = await fromRecords(folder, (records) => judgeObjects({ folder: objects, records }));
  return {
    host,
    captures: first.captures,
    capturesBefore: before.captures,
    capturesAfter: after.captures,
    left: first.left.length,
    onWorker: onWorker.captures,
    // Each names the coordinators that have not been asked yet, and the last one none.
    tooSoon: [first, ...onOthers].filter(({ complete }) => complete).length,
    complete: onWorker.complete && again.complete,
    words: before.words.length,
    tracesBefore: tracesBefore.length,
    traces: await everywhere(host, before.words),
    // Grants are told again for a while where an answer was lost, and then run out. What the robots.txt of another host
    // says is that host's.
    keys: keys.filter(
      (key) => !/^\{g\d+\}(?:g:|rb:)/.test(key) || hostMatch(host).url(key.replace(/^.*?rb:/, '')),
    ),
    others: before.others.size,
    renoted: before.naming.size,
    changed: changedRecords(before, after),
    exact: areExact(judged),
    waczOk: check.ok && check.captures === judged.records,
  };

  async function everywhere(name: string, words: readonly string[]) {
    return [...(await tracesIn(bucket, name, words)), ...(await tracesIn(under, name, words))].filter(
      // An export from before, which the command says to make again; what pywb unpacked of it.
      ({ file }) => !/^(?:whole\.wacz|pywb)/.test(file),
    );
  }
}

function isDeleted(found: Awaited<ReturnType<typeof deletion>>): boolean {
  return (
    found.traces.length === 0 &&
    found.keys.length === 1 &&
    found.changed.length === 0 &&
    found.capturesAfter === 0 &&
    found.complete &&
    found.tooSoon === 0 &&
    found.exact &&
    found.waczOk
  );
}

/** The host that was deleted had something everywhere: else its absence would say little. */
function hadTraces(found: Awaited<ReturnType<typeof deletion>>): boolean {
  return (
    found.capturesBefore > 0 &&
    found.words > 0 &&
    found.tracesBefore > 3 &&
    found.others > 0 &&
    found.renoted > 0 &&
    // Of the worker that was killed.
    found.left > 0 &&
    found.onWorker > 0
  );
}

async function fromRecords<T>(
  folder: string,
  work: (records: AsyncIterable<PageRecord>) => Promise<T>,
): Promise<T> {
  const reader = await readFolder(folder);
  try {
    return await work(reader.results.records(reader.crawl));
  } finally {
    await reader.close();
  }
}

interface Forgot {
  captures: number;
  left: string[];
  complete: boolean;
}

/** The command fails where something is left, and its answer lists what. */
async function forget(host: string, folder: string): Promise<Forgot> {
  const said = await webfarer('forget', host, folder, '--yes', '--json').catch(
    (error: { stdout?: string }) => {
      if (!error.stdout?.startsWith('{')) throw error;
      return error.stdout;
    },
  );
  return JSON.parse(said.split('\n')[0] ?? '') as Forgot;
}

interface CrawlParts {
  s3: S3Server;
  store: RedisServers;
  fake: FakeWeb;
  size: (typeof sizes)[keyof typeof sizes];
  under: string;
}

async function crawl({ s3, store, fake, size, under }: CrawlParts) {
  const { job, expect, gapMs } = faultJob(fake, { few: size.few });
  const { address: at, endpoint } = s3.place('crawls');
  const file = join(under, 'job.json');
  const save = [{ warc: { at, s3: { endpoint }, rotate: size.rotate } }];
  await writeJob(file, { ...job, name: 'dataset', save });
  const network = await startNetwork({
    job: file,
    under,
    coordinators: size.coordinators,
    workers: size.workers,
    connections: 12,
    store: store.url,
    coordinatorWords: ['--insecure-store'],
    workerWords: ['--until-done'],
    untilDone: true,
  });
  try {
    await killOneForGood(network, s3, under);
    const ends = await within(Promise.all(network.coordinators.map((one) => one.ended())), crawlMs, network);
    const [, ...rest] = network.workers;
    await within(Promise.all(rest.map((one) => one.ended())), crawlMs, network);
    if (ends.some((end) => end !== 0)) throw new Error(`coordinators ended with ${ends.join(', ')}`);
    return { expect, gapMs };
  } finally {
    await network.end();
  }
}

/** When every worker has something there. */
async function killOneForGood({ workers }: Network, s3: S3Server, under: string): Promise<void> {
  const stems = (): Set<string> => {
    const names = readdirSync(s3.folder, { recursive: true }).map(String);
    return new Set(names.flatMap((name) => /chunks\/([^/]+-[0-9a-f-]+)-\d{14}-/.exec(name)?.[1] ?? []));
  };
  await until('every worker has captures in the store', () => stems().size >= workers.length, crawlMs);
  // Several hosts are in what it leaves behind.
  await until('the first has many', () => bytesIn(join(under, 'worker-1')) >= killedBytes, crawlMs);
  await workers[0]?.kill();
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.includes('outgoing/'))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

async function within<T>(ending: Promise<T>, ms: number, network: Network): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => {
      const said = [...network.coordinators, ...network.workers].map(
        (one) => `--- ${one.name}\n${one.output().slice(-1_500)}`,
      );
      fail(new Error(`the crawl did not end in ${ms} ms\n${said.join('\n')}`));
    }, ms);
  });
  try {
    return await Promise.race([ending, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function webfarer(...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [commandPath, ...words], { maxBuffer: 1e8 });
  return stdout;
}

/** Bodies as pywb has them, without any rewriting, against the digests of the records. */
async function replayed(
  wacz: string,
  records: AsyncIterable<PageRecord>,
  folder: string,
  most: number,
): Promise<{ pages: number; folders: number; wrong: string[] }> {
  const pywb = await startPywb(folder, { whole: [wacz] });
  const found = { pages: 0, folders: 0, wrong: [] as string[] };
  // To pywb www.x.test and x.test are one, as are /a and /A/: of such captures it shows either.
  const alike = new Map<string, PageRecord[]>();
  for await (const record of records) {
    const key = surt(record.url).replace(/\/$/, '');
    alike.set(key, [...(alike.get(key) ?? []), record]);
  }
  try {
    for (const [record, other] of alike.values()) {
      const { url, startedAtMs, digest, status, kind, saved } = record as PageRecord;
      if (found.pages >= most) break;
      if (other || status !== 200 || kind !== 'page') continue;
      if (digest === undefined || !saved) continue;
      found.pages++;
      if (/[^/]\/[^/?]+\/$/.test(url)) found.folders++;
      const stamp = stampOf({ startedAtMs });
      const { status: answered, body } = await asSent(`${pywb.origin}/whole/${stamp}id_/${url}`);
      const has = `sha1:${base32(createHash('sha1').update(body).digest())}`;
      if (answered !== 200 || has !== digest) found.wrong.push(`${url}: ${answered}, ${has}`);
    }
    return found;
  } finally {
    await pywb.stop();
  }
}

/** The body as it came, content coding and all. */
async function asSent(url: string): Promise<{ status: number | undefined; body: Buffer }> {
  return await new Promise((done, fail) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br' };
    const asked = get(url, { headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('end', () => done({ status: answer.statusCode, body: Buffer.concat(pieces) }));
      answer.once('error', fail);
    });
    asked.once('error', fail);
  });
}

function stampOf({ startedAtMs }: Pick<PageRecord, 'startedAtMs'>): string {
  return new Date(startedAtMs).toISOString().replace(/\D/g, '').slice(0, 14);
}

async function membersOf(records: AsyncIterable<PageRecord>): Promise<number> {
  const members = new Set<string | undefined>();
  for await (const { saved = [] } of records) for (const { member } of saved) members.add(member);
  return members.size;
}
