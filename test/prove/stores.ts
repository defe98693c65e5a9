// watches: packages/coordinator/src/redis, packages/coordinator/src/stores, packages/coordinator/src/frontier/redis
// misses: a kind of store, TLS, ACL or Sentinel that no longer works
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultJob } from '../faults/fault-job.ts';
import { isPrimary } from '../faults/store-part.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { holds, type Judgement } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { failOver } from '../redis/fail-over.ts';
import { type StartedStore, storeKinds, type StoreKindName } from '../redis/store-kinds.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, smallJob, startCrawler, until, workFolder, writeJob } from './lab.ts';
import { type Member, membersEnded, shares } from './shared-crawl.ts';

const failovers = { quick: 1, full: 20 } as const;
/** Requests between two failovers of a crawl. */
const requestsBetween = 20;
/** Kinds that the quick form tries side by side: most of the time they wait. */
const atOnce = 3;

/**
 * A crawl on each kind of store that people have, judged by the web's own log; shared by two processes in the full form. Under
 * Sentinels the primary is replaced again and again, in three ways. `--kinds tls,acl --failovers 20`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const all = Object.keys(storeKinds) as StoreKindName[];
  const kinds = (argument(args, '--kinds')?.split(',') ?? all) as StoreKindName[];
  const wanted = Number(argument(args, '--failovers') ?? (quick ? failovers.quick : failovers.full));
  const folder = workFolder('stores');
  const found: Partial<Record<StoreKindName, KindResult>> = {};
  const left = [...kinds];
  const tryNext = async (): Promise<void> => {
    for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
      const started = performance.now();
      const trial = { kind, under: join(folder.path, kind), quick, failovers: wanted };
      found[kind] = await tryKind(trial);
      const seconds = Math.round((performance.now() - started) / 1_000);
      console.error(`  ${kind}: ${JSON.stringify(found[kind])}, ${seconds} s`);
    }
  };
  try {
    await Promise.all(Array.from({ length: quick ? atOnce : 1 }, tryNext));
  } finally {
    folder.remove();
  }
  const results = Object.values(found);
  return {
    ok: results.length === kinds.length && results.every(({ exact }) => exact),
    result: { kinds: found, sizes: { failovers: wanted } },
  };
}

interface KindResult {
  exact: boolean;
  version: string;
  crawls: number;
  urls: number;
  lost: number;
  duplicates: number;
  wrong: number;
  /** Fetches beyond one per URL: the price of a failover, none without. */
  repeats: number;
  addsUp: boolean;
  failovers?: number;
}

interface Trial {
  kind: StoreKindName;
  under: string;
  quick: boolean;
  failovers: number;
}

async function tryKind(trial: Trial): Promise<KindResult> {
  const store = await storeKinds[trial.kind](trial.under);
  const fake = await startFakeWeb({ size: 'S', seed: 5 });
  const isDisturbed = trial.kind === 'sentinel';
  const total: KindResult = {
    exact: true,
    version: await versionOf(store),
    crawls: 0,
    urls: 0,
    lost: 0,
    duplicates: 0,
    wrong: 0,
    repeats: 0,
    addsUp: true,
    ...(isDisturbed ? { failovers: 0 } : {}),
  };
  try {
    // A crawl may be over before there were failovers enough.
    do await crawl(trial, { store, fake }, total);
    while (isDisturbed && (total.failovers ?? 0) < trial.failovers);
    return total;
  } finally {
    await fake.stop();
    await store.stop();
  }
}

interface World {
  fake: FakeWeb;
  store: StartedStore;
}

async function crawl(trial: Trial, { fake, store }: World, total: KindResult): Promise<void> {
  const { kind, under, quick } = trial;
  await fake.reset();
  // A store remembers robots.txt, and the judge wants it asked for in every crawl.
  if (total.crawls > 0) await forgetAll(store);
  const isDisturbed = kind === 'sentinel';
  const quickJob = isDisturbed ? faultJob(fake, { few: true }) : smallJob(fake);
  const { job, expect } = quick ? quickJob : briskJob(fake);
  const processes = quick && !isDisturbed ? 1 : 2;
  const file = join(under, `job-${total.crawls}.json`);
  const folders = Array.from({ length: processes }, (_, n) => join(under, `${total.crawls}-${n}.crawl`));
  mkdirSync(under, { recursive: true });
  await writeJob(file, {
    ...job,
    // A store keeps crawls by their names.
    name: `lab-${kind}-${total.crawls}`,
    politeness: { ...job.politeness, connections: 15 },
  });
  const members: Member[] = folders.map((folder) => ({
    folder,
    crawler: startCrawler(file, folder, { args: store.args, env: store.env }),
  }));
  try {
    if (isDisturbed) await disturb(trial.failovers, { fake, store }, members, total);
    await membersEnded(members);
    const judgement = await judgeFolder(fake, folders[0] ?? '', expect);
    const { misplaced } = await shares(members);
    add(total, judgement, misplaced);
  } finally {
    for (const { crawler } of members) crawler.child.kill('SIGKILL');
  }
}

/** Replaces the primary whenever the crawl has made some requests since the last time. */
async function disturb(
  wanted: number,
  { fake, store }: World,
  members: readonly Member[],
  total: KindResult,
): Promise<void> {
  const isOver = () => members.some(({ crawler }) => crawler.child.exitCode !== null);
  // A process that starts while a replica is away is right to refuse the store.
  const haveJoined = () => members.every(({ folder }) => existsSync(join(folder, 'crawl.json')));
  await until('every process to have joined', () => isOver() || haveJoined(), 120_000);
  while ((total.failovers ?? 0) < wanted) {
    const { requests } = await fake.stats();
    const isBusy = async () => isOver() || (await fake.stats()).requests >= requests + requestsBetween;
    await until('the crawl to continue', isBusy, 120_000);
    if (isOver()) return;
    const how = await failOver(store, total.failovers ?? 0);
    total.failovers = (total.failovers ?? 0) + 1;
    console.error(`    failover ${total.failovers}: ${how}`);
  }
}

function add(total: KindResult, judgement: Judgement, misplaced: number): void {
  const isDisturbed = total.failovers !== undefined;
  total.crawls++;
  total.urls += judgement.expected;
  total.lost += judgement.lost;
  total.duplicates += judgement.duplicates;
  total.wrong += judgement.wrong + judgement.extra;
  total.repeats += judgement.repeats;
  total.addsUp &&= judgement.balanced && misplaced === 0;
  const isRight = holds(judgement, isDisturbed ? { repeats: judgement.repeats } : {}) && misplaced === 0;
  if (!isRight) console.error(JSON.stringify(judgement, null, 1));
  total.exact &&= isRight;
}

async function forgetAll({ servers }: StartedStore): Promise<void> {
  for (const node of servers.nodes) if (await isPrimary(node)) await node.ask('FLUSHALL');
}

async function versionOf({ servers }: StartedStore): Promise<string> {
  const info = (await servers.nodes[0]?.askText('INFO', 'server')) ?? '';
  const [, name = 'redis', version = ''] =
    /^(valkey)_version:(\S+)/m.exec(info) ?? /^(redis)_version:(\S+)/m.exec(info) ?? [];
  return `${name} ${version}`;
}
