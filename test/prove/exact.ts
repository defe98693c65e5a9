// ci: core
// watches: packages/protocol/src/url, packages/protocol/src/robots, packages/protocol/src/job
// watches: packages/protocol/src/crawl, packages/coordinator/src/frontier, packages/coordinator/src/crawl
// watches: packages/coordinator/src/results, packages/coordinator/src/sqlite, packages/worker/src/fetch
// watches: packages/worker/src/page, packages/worker/src/session, packages/worker/src/extract
// watches: packages/worker/src/egress, packages/cli/src/crawl, packages/cli/src/crawling, packages/cli/src/local
// misses: any page of an undisturbed crawl that is lost, extra, repeated, forbidden or too early: the widest net
import { join } from 'node:path';
import type { WebSize } from '../fake-web/hosts.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { shareCrawl } from './exact-shared.ts';
import { judgeFolder } from './judge-folder.ts';
import {
  argument,
  briskJob,
  labExpects,
  labJob,
  processesOf,
  startCrawler,
  workFolder,
  writeJob,
} from './lab.ts';
import type { Durability, StoreKind } from './shared-crawl.ts';

const sizes = { quick: { web: 'S', connections: 100 }, full: { web: 'M', connections: 200 } } as const;

/** With so few, the 44 hosts of the small web need all processes that share it. */
const fewConnections = 15;

/**
 * One undisturbed crawl of the whole fake web, judged by the web's own log and its closed form.
 * `--web M --processes 2 --seed 1`. With `--store redis` or `--store cluster` the processes are separate ones, each
 * with a folder of its own, that share the crawl; one of them is killed on the way and comes back. With
 * `--durability available` the servers write their log late, as strict would refuse.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const web = (argument(args, '--web') ?? size.web) as WebSize;
  const store = argument(args, '--store') as StoreKind | undefined;
  const durability = (argument(args, '--durability') ?? 'strict') as Durability;
  const processes = processesOf(args, store ? 3 : 1);
  const folder = workFolder('exact');
  const fake = await startFakeWeb({ size: web, seed: Number(argument(args, '--seed') ?? 1) });
  try {
    const job = join(folder.path, 'job.json');
    const out = join(folder.path, 'lab.crawl');
    // With a store the quick form leaves out the hosts that only take time.
    const { job: input, expect } =
      store && quick ? briskJob(fake) : { job: labJob(fake), expect: labExpects };
    const connections = store && quick ? fewConnections : size.connections;
    await writeJob(job, {
      ...input,
      politeness: { ...input.politeness, connections },
      ...(store ? {} : { processes }),
    });
    if (store) {
      const { ok, result } = await shareCrawl({
        fake,
        job,
        store,
        processes,
        under: folder.path,
        expect,
        disturb: !quick,
        durability,
      });
      return {
        ok,
        result: { ...result, sizes: { ...size, connections, web, processes, store, durability } },
      };
    }
    const started = performance.now();
    const crawler = startCrawler(job, out);
    const code = await crawler.ended;
    const seconds = (performance.now() - started) / 1_000;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const judgement = await judgeFolder(fake, out);
    const pagesPerSecond = Math.round(judgement.recorded / seconds);
    return {
      ok: holds(judgement),
      result: { ...judgement, pagesPerSecond, sizes: { ...size, web, processes } },
    };
  } finally {
    await fake.stop();
    folder.remove();
  }
}
