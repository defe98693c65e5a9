// watches: packages/worker/src/worker.ts, packages/worker/src/disk, packages/worker/src/crawls, packages/worker/src/session, packages/worker/src/save
// watches: packages/worker/src/scrape, packages/coordinator/src/own-crawls, packages/coordinator/src/crawl
// watches: packages/coordinator/src/schedule, packages/coordinator/src/catalog, packages/coordinator/src/webhooks
// misses: trouble of one crawl, schedule or folder that slows or ends what others do
import { setTimeout as sleep } from 'node:timers/promises';
import { coordinatorWays } from '../alone/coordinator-ways.ts';
import { jobWays } from '../alone/job-ways.ts';
import { type AloneLab, nextGoodPage, openAloneLab, type Shown, type Way } from '../alone/lab.ts';
import { storageWays } from '../alone/storage-ways.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, until, workFolder } from './lab.ts';

// ci: rated, because it compares rates.

const ways: readonly Way[] = [...storageWays, ...jobWays, ...coordinatorWays];
/** One of each kind: what a worker saves to, the worker itself, what a coordinator keeps, and a deletion. */
const quickWays = [
  'object-storage-hangs',
  'object-storage-denies-later',
  'min-free',
  'saver-throws',
  'saver-syncs-nothing',
  'deadly-page',
  'crawl-db-damaged',
  'catalog-entry-damaged',
  'job-refused',
  'schedule-damaged',
  'deletion-stuck',
];
/**
 * `least`: of the rate alone. The quick form has few pages to compare, and troubles that begin all at once. `rounds`: a way that
 * seems to slow others is tried so often, and its pages are added up.
 */
const sizes = {
  quick: { aloneMs: 3_000, besideMs: 6_000, least: 0.3, rounds: 1 },
  full: { aloneMs: 4_000, besideMs: 9_000, least: 0.9, rounds: 3 },
};
const patienceMs = 90_000;
/** A crawl that stalls is said to after some seconds. */
const shownMs = 40_000;

/**
 * A coordinator and a worker crawl a good site for one team at a fixed pace, while one crawl, schedule or folder of another team is
 * in trouble, in one way after the other. By the log of the good site its rate stays what it was just before and afterwards, no
 * process ends, and no page of it fails. With the trouble in place coordinator and worker are stopped and started again: the good
 * crawl continues, and the trouble is shown at the thing it concerns with what to do. The quick form has some ways, all at
 * once. `--only NAME,NAME`, `--rounds N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const only = argument(args, '--only')?.split(',') ?? (quick ? quickWays : undefined);
  const asked = ways.filter(({ name }) => only?.includes(name) ?? true);
  const chosen = asked.filter(({ impossible }) => impossible?.() === undefined);
  const work = workFolder('alone');
  const lab = await openAloneLab(work.path);
  const usual = quick ? sizes.quick : sizes.full;
  const size = { ...usual, rounds: Number(argument(args, '--rounds') ?? usual.rounds) };
  try {
    await nextGoodPage(lab, patienceMs);
    const groups = quick ? [chosen] : chosen.map((way) => [way]);
    const found: Found[] = [];
    for (const group of groups) found.push(await troubledUntilClear(lab, group, size));
    const { progress } = await lab.good();
    const ended = found.flatMap(({ name, ended }) => (ended > 0 ? [name] : []));
    const notShown = found.flatMap((one) => one.notShown);
    const stood = found.filter((one) => one.stood).map(({ name }) => name);
    const slowed = found.filter(({ rate }) => rate < size.least).map(({ name }) => name);
    const charged = progress?.balance.failed ?? Number.NaN;
    const ok = ended.length + notShown.length + stood.length + charged === 0;
    if (!ok) console.error(lab.output());
    return {
      ok,
      tooSlow: slowed.length > 0,
      result: {
        ways: chosen.length,
        slowed,
        ended,
        stood,
        notShown,
        charged,
        rates: Object.fromEntries(found.map(({ name, rate }) => [name, rate])),
        impossible: asked.length - chosen.length,
        sizes: size,
      },
    };
  } finally {
    await lab.end();
    work.remove();
  }
}

interface Size {
  aloneMs: number;
  besideMs: number;
  least: number;
  rounds: number;
}

interface Found {
  name: string;
  /** Of the good crawl beside the trouble, over its rate alone. */
  rate: number;
  /** Processes that ended beside the trouble, and were not killed by it on purpose. */
  ended: number;
  /** After the restart, until the next page of the good crawl; null: there was none. */
  standMs: number | null;
  stood: boolean;
  pages: number[];
  notShown: string[];
  shown: Record<string, Shown>;
}

/** In rounds until its rate is what it should be, or long enough to know that it is not. */
async function troubledUntilClear(lab: AloneLab, group: readonly Way[], size: Size): Promise<Found> {
  const sum = { alone: 0, beside: 0, aloneMs: 0, besideMs: 0 };
  for (let round = 1; ; round++) {
    const { counted, ...found } = await troubled(lab, group, size);
    for (const name of ['alone', 'beside', 'aloneMs', 'besideMs'] as const) sum[name] += counted[name];
    const rate = Math.round((sum.beside / sum.besideMs / (sum.alone / sum.aloneMs)) * 100) / 100;
    const isClear = rate >= size.least || found.stood;
    console.error(`  ${JSON.stringify({ round, rate, ...found })}`);
    if (isClear || round === size.rounds) return { ...found, rate };
  }
}

/** One group of troubles from before to after. */
async function troubled(lab: AloneLab, group: readonly Way[], { aloneMs, besideMs }: Size) {
  const name = group.length === 1 ? (group[0]?.name ?? '') : 'all at once';
  const before = await pagesDuring(lab, aloneMs);
  await Promise.all(group.map((way) => way.cause(lab)));
  const pids = lab.pids();
  const first = await pagesDuring(lab, besideMs);
  const ended = lab.pids().filter((pid, n) => pid === undefined || pid !== pids[n]).length;
  await lab.revive();
  await lab.stopBoth();
  for (const way of group) await way.whileDown?.(lab);
  await lab.startBoth();
  const standMs = await nextGoodPage(lab, patienceMs).catch(() => null);
  const again = lab.pids();
  const second = await pagesDuring(lab, besideMs);
  const shown = Object.fromEntries(
    await Promise.all(group.map(async (way) => [way.name, await shownBy(lab, way)] as const)),
  );
  const endedAgain = lab.pids().filter((pid, n) => pid === undefined || pid !== again[n]).length;
  await lab.revive();
  for (const way of group) await clear(lab, way);
  const after = await pagesDuring(lab, aloneMs);
  return {
    name,
    ended: ended + endedAgain,
    standMs,
    stood: standMs === null || first.late === 0 || second.late === 0,
    notShown: group.flatMap((way) => ((shown[way.name]?.next ?? '') === '' ? [way.name] : [])),
    shown: shown as Record<string, Shown>,
    /** Before, beside, beside after the restart, and afterwards. */
    pages: [before, first, second, after].map(({ pages }) => pages),
    counted: {
      alone: before.pages + after.pages,
      aloneMs: before.ms + after.ms,
      beside: first.pages + second.pages,
      besideMs: first.ms + second.ms,
    },
  };
}

/** `late`: in the second half of the time. None means that it has come to a standstill, however busy the machine is. */
async function pagesDuring(lab: AloneLab, ms: number): Promise<{ pages: number; late: number; ms: number }> {
  const [from, before] = [performance.now(), lab.goodPages];
  await sleep(ms / 2);
  const then = lab.goodPages;
  await sleep(ms / 2);
  return { pages: lab.goodPages - before, late: lab.goodPages - then, ms: performance.now() - from };
}

async function shownBy(lab: AloneLab, way: Way): Promise<Shown | undefined> {
  let shown: Shown | undefined;
  const isShown = async () => (shown = await way.shown(lab).catch(() => undefined)) !== undefined;
  await until(`${way.name} to be shown`, isShown, shownMs).catch(async () => {
    const detail = await lab.detail(way.name).catch(String);
    console.error(`  ${way.name} is not shown: ${JSON.stringify(detail).slice(0, 3_000)}`);
  });
  return shown;
}

/** Takes the trouble away, and the crawl that had it. */
async function clear(lab: AloneLab, way: Way): Promise<void> {
  await way.end?.(lab).catch((error: unknown) => console.error(`  ${way.name}: ${String(error)}`));
  const path = `/crawls/${encodeURIComponent(way.name)}`;
  await lab.ask('DELETE', path).catch((error: unknown) => {
    if (!/: 404 /.test(String(error))) console.error(`  ${way.name} could not be deleted: ${String(error)}`);
  });
  await way.stop?.();
}
