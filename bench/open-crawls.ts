// ci: gate
// ci: short, because commands are judged, which do not depend on how long a network is watched.
// watches: packages/coordinator/src/link, packages/coordinator/src/crawl, packages/coordinator/src/redis
// watches: packages/coordinator/src/frontier, packages/coordinator/src/own-crawls
// misses: open crawls that wait and cost more than they did: commands to create, pause, ask or sweep them
import { argument, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type EndedCost, type FrontierRow, measureEnded, measureFrontier } from './open-crawls/frontier.ts';
import { measureNetwork } from './open-crawls/measure.ts';
import type { StoreKind } from './open-crawls/parts.ts';
import { frontierTable, networkTable } from './open-crawls/table.ts';

/**
 * Commands, with the largest number of crawls. The least that must not be exceeded: what they cost on 19 November 2026 and a
 * quarter; to create one, the goal. The other goal is a sweep that does not grow with them.
 */
const bars = {
  create: 60,
  asked: 50,
  askedAgain: 5,
  askedAfterResume: 5,
  sweepEach: 1.5,
  pause: 32,
  counts: 8,
  endedBytes: 8_300,
  endedKeys: 14,
};
/** Crawls that have ended, to compare what is kept of them. */
const endedCrawls = 100;

/**
 * What open crawls cost that wait, that run slowly and that are over. The first part counts commands of a frontier on one
 * server, and what it keeps of a crawl that has ended: they are judged, and the quick form is that part alone. The second is a network of real coordinators with a worker and a
 * host for each crawl: CPU and commands a second, bytes of the store, heap, resident memory, file handles and timers for each
 * number of crawls; what it takes to create, pause, resume, stop and delete one beside them, and to restart; how soon a small
 * job of one team starts while another team is busy.
 * `--store redis|cluster|sqlite`, `--sizes 0,10,100`, `--coordinators N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const store = (argument(args, '--store') ?? 'redis') as StoreKind;
  const sizes = (argument(args, '--sizes') ?? (quick ? '0,10,50' : '0,10,100')).split(',').map(Number);
  const coordinators = Number(argument(args, '--coordinators') ?? 1);
  const rows = await measureFrontier(sizes);
  console.error(frontierTable(rows));
  const ended = await measureEnded(endedCrawls);
  console.error(`  ended: ${Math.round(ended.bytes)} bytes and ${ended.keys.toFixed(1)} keys each`);
  const broken = brokenBars(rows, ended);
  for (const bar of broken) console.error(`  above its bar: ${bar}`);
  const result = { frontier: rows, ended, bars, sizes: { store, sizes, coordinators } };
  if (quick) return { ok: broken.length === 0, result };
  const work = workFolder('open-crawls');
  try {
    const network = await measureNetwork({ store, sizes, coordinators, under: work.path });
    console.error(networkTable(network));
    return { ok: broken.length === 0, result: { ...result, network } };
  } finally {
    work.remove();
  }
}

function brokenBars(rows: readonly FrontierRow[], ended: EndedCost): string[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) throw new Error('nothing was measured');
  const crawls = Math.max(1, last.crawls - first.crawls);
  const found: Record<keyof typeof bars, number> = {
    create: last.create.commands,
    asked: last.asked.commands,
    askedAgain: last.askedAgain.commands,
    askedAfterResume: last.askedAfterResume.commands,
    sweepEach: (last.sweep.commands - first.sweep.commands) / crawls,
    pause: last.pause.commands,
    counts: last.counts.commands,
    endedBytes: ended.bytes,
    endedKeys: ended.keys,
  };
  const names = Object.keys(bars) as (keyof typeof bars)[];
  return names
    .filter((name) => found[name] > bars[name])
    .map((name) => `${name}, ${Math.round(found[name])}`);
}
