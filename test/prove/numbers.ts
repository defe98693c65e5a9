// watches: packages/protocol/src/numbers, packages/protocol/src/crawl, packages/cli/src/view
// watches: packages/graph/src/report, packages/coordinator/src/crawl
// misses: a number or state on a surface that is not what the log of the sites says
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inOwnNetwork } from '../install/own-network.ts';
import type { StatesCompared, StatesOptions } from '../numbers/states.ts';
import type { ProofResult } from '../prove.ts';
import { workFolder } from './lab.ts';

/** Fewer would mean that a surface was not read. */
const least = { numbers: 150, looks: 24 };

/**
 * Crawls of made sites are brought into each state: finished, running with a request that does not end, paused, stopped,
 * limited, on hold, blocked, and after a restart of the coordinator. Every number that the API, `status`, the live view,
 * the summary, `report`, report.html and the metrics show is compared with the sites' own log of requests, never with
 * another surface. Sites and coordinator are in a network of their own.
 */
export async function prove(): Promise<ProofResult> {
  const work = workFolder('numbers');
  try {
    const args: StatesOptions = { folder: join(work.path, 'states') };
    mkdirSync(args.folder);
    const program = join(import.meta.dirname, '../numbers/states.ts');
    const { wrong, ...compared } = await inOwnNetwork<StatesCompared>({ program, args, folder: work.path });
    const failures = [...wrong];
    for (const what of ['numbers', 'looks'] as const)
      if (compared[what] < least[what]) failures.push(`only ${compared[what]} ${what} were compared`);
    return {
      ok: failures.length === 0,
      result: { ...compared, wrong: wrong.length, failures: failures.slice(0, 40) },
    };
  } finally {
    work.remove();
  }
}
