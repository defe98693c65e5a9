// watches: packages/worker/src/disk, packages/worker/src/save, packages/coordinator/src/sqlite
// watches: packages/coordinator/src/folder, packages/coordinator/src/crawl, packages/cli/src/crawl
// misses: results lost, or a crash, when the disk fills up
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fill } from '../faults/room.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import { makeDisk } from './loop-disk.ts';
import { addTo, emptyTotals } from './totals.ts';
import { argument, briskJob, processesOf, startCrawler, until, workFolder, writeJob } from './lab.ts';

const sizes = { quick: { diskMB: 64, rounds: 1 }, full: { diskMB: 64, rounds: 3 } } as const;

/**
 * The crawl folder on a small disk that fills up while it runs. Twice: once noticed in time by `minFree`,
 * once met as a failed write. It pauses, says so, goes on when there is room again, and loses nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const rounds = Number(argument(args, '--count') ?? size.rounds);
  const work = workFolder('disk-full');
  const disk = makeDisk(work.path, size.diskMB);
  const fake = await startFakeWeb({ size: 'S', seed: 4 });
  const total = { pauses: 0, ...emptyTotals() };
  let ok = true;
  try {
    for (let round = 0; round < rounds * 2; round++) {
      const noticed = round % 2 === 0;
      await fake.reset();
      const brisk = briskJob(fake);
      const job = join(work.path, 'job.json');
      await writeJob(job, {
        ...brisk.job,
        limits: { ...brisk.job.limits, minFree: noticed ? '12MB' : '1B' },
        processes: processesOf(args),
      });
      const folder = join(disk.path, `round-${round}.crawl`);
      const crawler = startCrawler(job, folder);
      const start = (await fake.stats()).requests;
      await until('some requests', async () => (await fake.stats()).requests > start + 100, 60_000);
      const filler = join(disk.path, 'filler');
      await fill(filler, noticed ? 4_000_000 : 0);
      await until('the pause to be told', () => /‖|paused/i.test(crawler.output()), 60_000);
      total.pauses++;
      await rm(filler);
      const code = await crawler.ended;
      if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
      const judgement = await judgeFolder(fake, folder, brisk.expect);
      addTo(total, judgement);
      const good = holds(judgement);
      if (!good) console.error(JSON.stringify(judgement, null, 1));
      ok &&= good;
      await rm(folder, { recursive: true });
    }
    return {
      ok: ok && total.pauses === rounds * 2,
      result: { ...total, sizes: { ...size, processes: processesOf(args) } },
    };
  } finally {
    await fake.stop();
    disk.unmount();
    work.remove();
  }
}
