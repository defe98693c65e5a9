// watches: packages/coordinator/src/schedule, packages/coordinator/src/catalog, packages/coordinator/src/own-crawls
// misses: runs of a schedule that are missed, doubled, or an hour off
import type { ProofOptions, ProofResult } from '../prove.ts';
import { createTimetable } from '../../packages/coordinator/src/schedule/timetable.ts';
import {
  type CalendarCase,
  casesAround,
  clockChanges,
  hourMs,
  outsideInstants,
  pythonZones,
  seldomCases,
  zones,
} from '../schedules/calendar-cases.ts';
import { fire } from '../schedules/firings.ts';
import { simulate } from '../schedules/simulated-engine.ts';
import { randomNumbers } from '../../bench/random.ts';
import { argument } from './lab.ts';

const plans = {
  quick: { aroundMs: 4 * hourMs, schedules: 5, coordinators: 2, count: 30, killWithin: 12 },
  full: { aroundMs: 36 * hourMs, schedules: 5, coordinators: 3, count: 100, killWithin: 10 },
};

/**
 * Schedules are due when another implementation says so, around every change of the clocks in three zones over five
 * years: the engine runs on a simulated clock, and Python walks through the same time. Then real coordinators fire every
 * second on one store and are killed as they do: each due instant has one crawl in the catalog. The controls: times
 * without changes of the clocks differ from Python's, and runs that are known by chance are started twice.
 * `--count N` due instants, `--seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? plans.quick : plans.full;
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e6));
  const plan = { ...usual, count: Number(argument(args, '--count') ?? usual.count) };
  // The quick form looks at schedules that run seldom in one zone only.
  const calendar = await proveCalendar(plan.aroundMs, quick ? zones.slice(0, 1) : zones);
  const killAt = killPoints(plan.killWithin, randomNumbers(seed));
  const firing = await fire({ ...plan, killAt });
  const control = await fire({
    ...plan,
    count: Math.min(plan.count, 10),
    control: 'fresh-names',
    // The first dies with its first crawl created and not recorded.
    killAt: (n) => (n === 0 ? 2 : killAt(n)),
  });
  const { killed } = firing;
  return {
    ok:
      calendar.changes === 5 * 2 * zones.length &&
      calendar.wrong === 0 &&
      calendar.wrongWithoutChanges > 0 &&
      firing.due >= plan.count &&
      firing.started === firing.due &&
      firing.missing === 0 &&
      firing.twice === 0,
    tooEasy: killed.decided === 0 || killed.created === 0 || control.twice === 0,
    result: { calendar, ...firing, twiceWithoutIdentity: control.twice, sizes: plan, seed },
  };
}

/** Within the first so many; by turns with a run written down and no crawl, and with the crawl created and not recorded. */
function killPoints(within: number, random: () => number): (n: number) => number {
  return (n) => 2 * (1 + Math.floor(random() * (within / 2))) - (n % 2);
}

async function proveCalendar(aroundMs: number, wholeYears: readonly string[]) {
  const changes = clockChanges();
  const groups = changes.map((change) => casesAround(change, aroundMs));
  const engine: number[][] = [];
  for (const group of groups) engine.push(...(await simulate(group)));
  const seldom = seldomCases().filter(({ zone }) => wholeYears.includes(zone));
  const cases = [...groups.flat(), ...seldom];
  const ours = [...engine, ...seldom.map((each) => listed(each, each.zone))];
  const theirs = outsideInstants(cases);
  const wrong = cases.filter((_, n) => String(ours[n]) !== String(theirs[n]));
  const examples = wrong.slice(0, 3).map((each) => {
    const n = cases.indexOf(each);
    return { ...each, ours: shown(ours[n], theirs[n]), theirs: shown(theirs[n], ours[n]) };
  });
  // Where the clocks never change, the local times around a change are other instants.
  const naive = groups.flat().filter((each, n) => String(listed(each, 'UTC')) !== String(theirs[n]));
  return {
    zones: zones.length,
    changes: changes.length,
    schedules: cases.length,
    instants: theirs.reduce((sum, { length }) => sum + length, 0),
    wrong: wrong.length,
    wrongWithoutChanges: naive.length,
    tzdata: { node: process.versions.tz, python: pythonZones() },
    ...(examples.length > 0 ? { examples } : {}),
  };
}

function listed({ when, anchorMs, fromMs, toMs }: CalendarCase, timeZone: string): number[] {
  const times = createTimetable({ when, timeZone, anchorMs });
  const found: number[] = [];
  for (let at = times.after(fromMs); at !== undefined && at <= toMs; at = times.after(at)) found.push(at);
  return found;
}

/** What one list has and the other does not. */
function shown(list: number[] = [], other: number[] = []): string[] {
  return list
    .filter((at) => !other.includes(at))
    .slice(0, 3)
    .map((at) => new Date(at).toISOString());
}
