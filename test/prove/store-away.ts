// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis, packages/coordinator/src/stores
// watches: packages/coordinator/src/crawl/watch, packages/worker/src/link
// misses: loss or repetition when the store is unreachable for a while
import { join } from 'node:path';
import { startFakeWeb } from '../fake-web/server.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import { argument, briskJob, until, workFolder, writeJob } from './lab.ts';
import { startMember, startStore } from './shared-crawl.ts';

// ci: rated, because it judges how soon a person is told.

/** The full form outlasts every lease, and the time after which a call to the store gives up. */
const sizes = { quick: { awaySeconds: 6 }, full: { awaySeconds: 75 } } as const;
/** A person hears this soon why nothing goes on. */
const toldWithinMs = 5_000;
const connections = 20;
/** Three times the longest fetch of the lab job. */
const leaseMs = 60_000;
const urlsPerLease = 10;

/**
 * The store stands still for a while in the middle of a crawl: the crawl says so, waits, goes on by itself and loses
 * nothing. Nothing is fetched twice either, unless the store is away for longer than a lease lasts: then the URLs of the
 * leases that ran out may be, because their outcomes could not be told in time.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const awayMs = 1_000 * Number(argument(args, '--seconds') ?? size.awaySeconds);
  const work = workFolder('store-away');
  const fake = await startFakeWeb({ size: 'S', seed: 4 });
  const store = await startStore('redis');
  const { job, expect } = briskJob(fake);
  const file = join(work.path, 'job.json');
  const folder = join(work.path, 'lab.crawl');
  await writeJob(file, { ...job, politeness: { ...job.politeness, connections } });
  const crawler = startMember(file, folder, store.url);
  try {
    const [server] = store.nodes;
    await until('300 requests', async () => (await fake.stats()).requests > 300, 60_000);
    const stopped = performance.now();
    await server?.kill('SIGSTOP');
    await until('a sentence', () => /store is unreachable/.test(crawler.output()), awayMs);
    const toldMs = Math.round(performance.now() - stopped);
    await until('time', () => performance.now() - stopped > awayMs, awayMs + 1_000);
    await server?.kill('SIGCONT');
    const back = performance.now();
    await until('resumed', () => /resumed/.test(crawler.output()), 60_000);
    const onAfterMs = Math.round(performance.now() - back);
    const code = await crawler.ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const judgement = await judgeFolder(fake, folder, expect);
    const repeats = awayMs < leaseMs ? 0 : connections * urlsPerLease;
    return {
      tooSlow: toldMs > toldWithinMs,
      ok: holds(judgement, { repeats }),
      result: {
        ...judgement,
        repeatsAllowed: repeats,
        toldMs,
        onAfterMs,
        sizes: { ...size, awayMs, connections },
      },
    };
  } finally {
    crawler.child.kill('SIGKILL');
    await store.stop();
    await fake.stop();
    work.remove();
  }
}
