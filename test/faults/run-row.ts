import { type Random, randomFrom, seedOf } from '../fuzz/random.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { Judgement } from '../judge/judge.ts';
import { until } from '../prove/lab.ts';
import { addTo, emptyTotals, type Totals } from '../prove/totals.ts';
import type { Strike, System } from './system.ts';

export interface RowRun {
  fake: FakeWeb;
  seed: number;
  /** Faults wanted over all crawls. */
  count: number;
  /** No new crawl is begun after this long. */
  forMs?: number;
  /** Between the end of one fault and the next, at most. */
  pauseMs: number;
  strike: Strike;
  /** A network on a crawl that has not begun. */
  start(crawl: number): Promise<System>;
}

export interface RowResult extends Totals {
  faults: number;
  /** Crawls that did not come to their end in time. */
  unfinished: number;
  /** Processes that nobody struck and that ended before the crawl did. */
  ended: number;
  stallMs: number;
  /** Results that were in files, not in the store, when their crawl was over. */
  drained: number;
  /** Of each crawl that was not right, what was not. */
  harm: string[];
}

/** A crawl that was left in peace makes a request or ends within this. */
const calmMs = 180_000;
/** Requests before the first fault of a crawl, and between two. */
const requestsBetween = 5;

export function emptyRow(): RowResult {
  return { faults: 0, unfinished: 0, ended: 0, stallMs: 0, drained: 0, harm: [], ...emptyTotals() };
}

/** Crawls one after the other, each disturbed as long as it runs, until there were faults enough. */
export async function runRow(run: RowRun): Promise<RowResult> {
  const random = randomFrom(seedOf(run.seed));
  const result = emptyRow();
  const deadline = performance.now() + (run.forMs ?? Number.POSITIVE_INFINITY);
  for (let crawl = 0; result.faults < run.count && performance.now() < deadline; crawl++) {
    await run.fake.reset();
    const system = await run.start(crawl);
    try {
      await disturb(run, system, random, result);
      await finishCrawl(system, result);
    } catch (error) {
      if (!(error instanceof EndedByItself || error instanceof StandsStill)) throw error;
      console.error(error.message);
      if (error instanceof StandsStill) result.unfinished++;
      else result.ended++;
      result.harm.push(error.message.slice(0, 200));
    } finally {
      await system.stop();
    }
    console.error(
      `  ${result.faults} of ${run.count} faults, ${result.crawls} crawls, lost ${result.lost}, ` +
        `duplicates ${result.duplicates}, gap violations ${result.gapViolations}, repeats ${result.repeats}, ` +
        `stall ${result.stallMs} ms`,
    );
  }
  return result;
}

async function disturb(run: RowRun, system: System, random: Random, result: RowResult): Promise<void> {
  let turn = result.faults;
  while (result.faults < run.count) {
    if (!(await goesOn(system))) return;
    await pause(random.below(run.pauseMs));
    if (await system.isOver()) return;
    const what = await run.strike(system, random, turn);
    assertWell(system);
    turn++;
    if (what === undefined) continue;
    result.faults++;
    console.error(`    ${result.faults}: ${what} (${Math.round(performance.now() / 1_000)} s)`);
  }
}

/** Waits until the crawl makes requests again; false when it is over. */
async function goesOn(system: System): Promise<boolean> {
  const { requests } = await system.fake.stats();
  let over = false;
  await until(
    'the crawl to go on',
    async () => {
      assertWell(system);
      over = await system.isOver();
      return over || (await system.fake.stats()).requests >= requests + requestsBetween;
    },
    calmMs,
  ).catch((error: Error) => {
    if (error instanceof EndedByItself) throw error;
    throw new StandsStill(`${error.message}\n${system.said()}`);
  });
  return !over;
}

/** Lets a crawl come to its end in peace, and judges it. */
export async function finishCrawl(system: System, result: RowResult): Promise<void> {
  const finished = await ends(system);
  if (!finished) result.unfinished++;
  await judgeCrawl(system, result, finished);
}

/** In time is as long as it makes requests: a crawl with long gaps takes what it takes. */
async function ends(system: System): Promise<boolean> {
  let [requests, seenAtMs] = [0, performance.now()];
  while (!(await system.isOver())) {
    assertWell(system);
    const now = (await system.fake.stats()).requests;
    if (now > requests) [requests, seenAtMs] = [now, performance.now()];
    if (performance.now() - seenAtMs > calmMs) {
      console.error(system.said());
      return false;
    }
    await pause(100);
  }
  return true;
}

function assertWell(system: System): void {
  const problem = system.problem();
  if (problem !== undefined) throw new EndedByItself(problem);
}

class EndedByItself extends Error {}
class StandsStill extends Error {}

async function judgeCrawl(system: System, result: RowResult, finished: boolean): Promise<void> {
  const judgement = await system.judge();
  addTo(result, judgement);
  result.drained += judgement.drained;
  result.stallMs = Math.max(result.stallMs, longestStall(await system.fake.log()));
  if (!finished || !isRight(judgement)) {
    const { trapHosts: _, repeatedUrls: __, ...shown } = judgement;
    console.error(JSON.stringify(shown, null, 1));
    result.harm.push(harmOf(judgement) || 'unfinished');
  }
}

/** Repeats are the price of a fault; everything else must be as if there had been none. */
export function isRight(judgement: Judgement): boolean {
  return harmOf(judgement) === '';
}

function harmOf(judgement: Judgement): string {
  const zeros = [
    'lost',
    'extra',
    'duplicates',
    'wrong',
    'disallowed',
    'beforeRobots',
    'strays',
    'unfetched',
    'gapViolations',
    'trapViolations',
  ] as const;
  const found = zeros.filter((name) => judgement[name] > 0).map((name) => `${name} ${judgement[name]}`);
  if (judgement.maxInFlightPerHost > 1) found.push(`in flight ${judgement.maxInFlightPerHost}`);
  if (!judgement.balanced) found.push('unbalanced');
  return found.join(', ');
}

/** The longest time in which nobody asked for anything, in ms. */
export function longestStall(log: readonly LogEntry[]): number {
  const starts = log.map(({ startNs }) => startNs).toSorted((a, b) => a - b);
  let longest = 0;
  for (let n = 1; n < starts.length; n++)
    longest = Math.max(longest, (starts[n] as number) - (starts[n - 1] as number));
  return Math.round(longest / 1e6);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
