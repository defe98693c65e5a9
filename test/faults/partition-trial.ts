import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startFakeWeb } from '../fake-web/server.ts';
import { workFolder } from '../prove/lab.ts';
import { cutHost } from '../redis/cut.ts';
import { cutOffUser } from './divide.ts';
import { faultTimeoutMs } from './fault-job.ts';
import { startNetworkSystem } from './network-system.ts';
import { partition } from './partition.ts';
import { type RowResult, runRow } from './run-row.ts';

/** Runs the row of partitions inside a network of its own; prints its result as JSON. */
async function main(sizes: { count: number; seed: number }): Promise<RowResult> {
  const folder = workFolder('faults-partition');
  const fake = await startFakeWeb({ size: 'S', seed: 3, longestFetchMs: faultTimeoutMs });
  // Both sides read the job and write folders of their own.
  for (const path of [folder.path, dirname(fake.caFile)]) chmodSync(path, 0o755);
  chmodSync(fake.caFile, 0o644);
  try {
    return await runRow({
      fake,
      ...sizes,
      pauseMs: 1_000,
      strike: partition,
      start: (crawl) => {
        const under = join(folder.path, String(crawl));
        mkdirSync(under, { mode: 0o777 });
        chmodSync(under, 0o777);
        return startNetworkSystem({
          fake,
          store: 'cluster',
          workers: 3,
          under,
          firstUser: cutOffUser,
          hostOf: cutHost,
        });
      },
    });
  } finally {
    await fake.stop();
    folder.remove();
  }
}

console.log(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '') as { count: number; seed: number })));
process.exit(0);
