import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore, tidyObjects } from '@webfarer/worker';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { type Random, randomFrom, seedOf } from '../fuzz/random.ts';
import { areExact, judgeObjects, type ObjectFindings } from '../objects/judge-objects.ts';
import { type S3Proxy, type S3Trouble, startS3Proxy } from '../objects/s3-proxy.ts';
import { type S3Server, startS3 } from '../objects/s3-server.ts';
import { workFolder } from '../prove/lab.ts';
import { faultTimeoutMs } from './fault-job.ts';
import { startNetworkSystem } from './network-system.ts';
import { type RowResult, runRow } from './run-row.ts';
import { strikes } from './strikes.ts';
import type { Strike, System } from './system.ts';

export interface ObjectsRowResult extends RowResult {
  /** Of all crawls, after upkeep. */
  objects: Omit<ObjectFindings, 'wrong'> & { wrong: number; joined: number; spoiled: number };
}

const workers = 3;
/** Small, so that files are completed while the crawl is disturbed. */
const rotate = '60KB';
/** Shorter than troubles last, so that each is noticed. */
const requestMs = 1_000;
const troubleMs = { least: 300, most: 4_000 };

const troubles: ((random: Random) => S3Trouble)[] = [
  (random) => ({ kind: 'errors', share: 0.3 + random.below(70) / 100 }),
  (random) => ({ kind: 'lost-replies', share: 0.3 + random.below(70) / 100 }),
  (random) => ({ kind: 'truncated', share: 0.3 + random.below(70) / 100 }),
  (random) => ({ kind: 'cut-requests', share: 0.3 + random.below(70) / 100 }),
  () => ({ kind: 'silent' }),
  (random) => ({ kind: 'slow', ms: 100 + random.below(1_500) }),
];

/** Networks that keep their archive in object storage, which fails them in every way while they crawl. */
export async function runObjectsRow(sizes: {
  count: number;
  seed: number;
  few: boolean;
  forMs?: number;
}): Promise<ObjectsRowResult> {
  const folder = workFolder('faults-s3');
  const s3 = await startS3();
  const proxy = await startS3Proxy({ port: s3.port, random: chanceOf(randomFrom(seedOf(sizes.seed + 1))) });
  const fake = await startFakeWeb({ size: 'S', seed: 3, longestFetchMs: faultTimeoutMs });
  const objects = { ...none, joined: 0, spoiled: 0 };
  try {
    const result = await runRow({
      fake,
      ...sizes,
      pauseMs: 500,
      strike: strikeOn(s3, proxy),
      async start(crawl) {
        const under = join(folder.path, String(crawl));
        mkdirSync(under, { recursive: true });
        const { address: at } = s3.place(`crawl-${crawl}`);
        const save = [{ warc: { at, s3: { endpoint: proxy.endpoint, timeout: `${requestMs}ms` }, rotate } }];
        const system = await startNetworkSystem({
          fake,
          store: 'sqlite',
          workers,
          under,
          few: sizes.few,
          save,
        });
        return judged(system, { s3, under, prefix: `crawl-${crawl}`, objects });
      },
    });
    return { ...result, objects: { ...objects, spoiled: proxy.spoiled } };
  } finally {
    await fake.stop();
    await proxy.stop();
    await s3.stop();
    folder.remove();
  }
}

const none = { objects: 0, captures: 0, records: 0, lost: 0, duplicates: 0, orphans: 0, wrong: 0 };

const chanceOf = (random: Random) => () => random.below(1_000_000) / 1_000_000;

/** Every fourth time the server itself, every ninth a worker, else what lies between them. */
function strikeOn(s3: S3Server, proxy: S3Proxy): Strike {
  return async (system, random, turn) => {
    const lasts = () => pause(troubleMs.least + random.size(troubleMs.most - troubleMs.least));
    if (turn % 9 === 8) return await strikes['worker-kill'](system, random, turn);
    if (turn % 4 === 3) {
      await s3.kill();
      await lasts();
      await s3.restart();
      return 'killed the S3 server';
    }
    const make = troubles[turn % troubles.length] ?? random.pick(troubles);
    const trouble = make(random);
    const before = proxy.spoiled;
    proxy.set(trouble);
    await lasts();
    proxy.set({ kind: 'none' });
    // What nobody met was no fault.
    return proxy.spoiled > before ? `${trouble.kind}, ${proxy.spoiled - before} requests` : undefined;
  };
}

interface Judged {
  s3: S3Server;
  under: string;
  prefix: string;
  objects: ObjectsRowResult['objects'];
}

/** The same network, judged by what is in the bucket too, once its workers have ended and upkeep has been. */
function judged(system: System, { s3, under, prefix, objects }: Judged): System {
  return {
    ...system,
    async judge() {
      for (const worker of system.parts('worker')) if (worker.alive) await worker.leave();
      const judgement = await system.judge();
      const [crawl = ''] = readdirSync(join(s3.folder, prefix));
      const store = await openObjectStore(s3.place(`${prefix}/${crawl}`));
      const tidied = { store, nowMs: Date.now() + 60_000, graceMs: 0, scratch: tmpdir() };
      const { joined } = await tidyObjects(tidied);
      const again = await tidyObjects(tidied);
      store.close();
      const reader = await readFolder(join(under, 'coordinator-1'));
      try {
        const found = await judgeObjects({
          folder: join(s3.folder, prefix, crawl),
          records: reader.results.records(reader.crawl),
        });
        if (again.joined + again.uploadsAborted + again.chunksRemoved > 0) found.orphans++;
        if (!areExact(found)) console.error(JSON.stringify({ ...found, wrong: found.wrong.slice(0, 10) }));
        add(objects, { ...found, joined });
        const { lost, duplicates, wrong } = judgement;
        return {
          ...judgement,
          lost: lost + found.lost,
          duplicates: duplicates + found.duplicates,
          wrong: wrong + found.wrong.length + found.orphans + (found.records > 0 ? 0 : 1),
        };
      } finally {
        await reader.close();
      }
    },
  };
}

function add(sum: ObjectsRowResult['objects'], found: ObjectFindings & { joined: number }): void {
  for (const name of ['objects', 'captures', 'records', 'lost', 'duplicates', 'orphans', 'joined'] as const)
    sum[name] += found[name];
  sum.wrong += found.wrong.length;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
