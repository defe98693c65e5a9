// watches: packages/worker/src/objects, packages/worker/src/save, packages/worker/src/archive, packages/cli/src/folder
// misses: archives lost or torn when object storage fails
import { runObjectsRow } from '../faults/objects-row.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument } from './lab.ts';

/** One of each kind, and a worker. */
const counts = { quick: 9, full: 200 };

/** `faults --row s3` by itself: an archive in object storage that fails while crawls write to it. `--count N --seed N` */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? counts.quick : counts.full));
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e9));
  const { harm, objects, faults, crawls, lost, duplicates, unfinished, ended } = await runObjectsRow({
    count,
    seed,
    few: true,
  });
  return {
    ok: harm.length === 0 && unfinished === 0 && objects.records > 0,
    result: { faults, crawls, lost, duplicates, unfinished, ended, objects, harm, sizes: { count, seed } },
  };
}
