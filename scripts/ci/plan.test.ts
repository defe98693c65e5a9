import { describe, expect, it } from 'vitest';
import { headerOf } from './header.ts';
import { type Ledger, recorded } from './ledger.ts';
import type { Part } from './parts.ts';
import { makePlan, stale } from './plan.ts';
import { planText } from './plan-text.ts';
import type { Seconds } from './seconds.ts';

/** Proofs, benches and tests, each with a folder of its own; the first proof is at the core. */
const parts: Part[] = [
  ...Array.from({ length: 41 }, (_, n) => part(`prove p${n}`, 'proof', n === 0)),
  ...Array.from({ length: 7 }, (_, n) => part(`bench b${n}`, 'bench')),
  ...Array.from({ length: 150 }, (_, n) => part(`packages/x/t${n}.test.ts`, 'test')),
];
const seconds: Seconds = Object.fromEntries(
  parts.map(({ id }, n) => [id, { wall: (n * 37) % 101, cpu: (n * 53) % 97 }]),
);
const ids = new Set(parts.map(({ id }) => id));

function part(id: string, kind: Part['kind'], core = false): Part {
  return { ...headerOf(''), id, kind, core, file: `${id}.ts`, isNear: (path) => path === `src/${id}` };
}

/** Commits are numbers, written as git does; each changes some files. */
function fakeHistory(count: number, changedAt: Record<number, string[]> = {}) {
  const at = (commit: string) => Number.parseInt(commit, 16);
  return {
    count,
    missing: undefined,
    changedSince: (commit: string) =>
      at(commit) > count
        ? undefined
        : Object.entries(changedAt).flatMap(([n, files]) =>
            Number(n) > at(commit) && Number(n) <= count ? files : [],
          ),
    ageOf: (commit: string) => count - at(commit),
  };
}
const commitOf = (n: number) => n.toString(16).padStart(40, '0');
const wholeAt = (n: number): Ledger => ({ runs: [{ commit: commitOf(n), date: 'd', parts: [...ids] }] });
const chosenIds = (plan: ReturnType<typeof makePlan>) => [...plan.chosen.keys()].map(({ id }) => id);

describe('runs in a row', () => {
  it('cover everything in four, at consecutive commits after a whole run that was recorded', () => {
    for (let first = 101; first < 130; first++) {
      const ran = [0, 1, 2, 3].flatMap((n) =>
        chosenIds(makePlan({ parts, ledger: wholeAt(100), seconds, history: fakeHistory(first + n) })),
      );
      expect(new Set(ran).size).toBe(parts.length);
    }
  });

  it('cover everything in four where runs are counted, whatever lands between them', () => {
    const ran = [7, 8, 9, 10].flatMap((runNumber) =>
      chosenIds(
        makePlan({
          parts,
          ledger: wholeAt(100),
          seconds,
          history: fakeHistory(100 + 4 * runNumber),
          runNumber,
        }),
      ),
    );
    expect(new Set(ran).size).toBe(parts.length);
  });

  it('cover everything in four where each is recorded, whatever lands between them', () => {
    let ledger = wholeAt(100);
    let count = 100;
    const runs: Set<string>[] = [];
    for (let n = 0; n < 30; n++) {
      // Steps of 4 among them: the count modulo four then says nothing.
      count += [4, 4, 9, 1, 2, 4, 4, 4, 13][n % 9] ?? 0;
      const held = chosenIds(makePlan({ parts, ledger, seconds, history: fakeHistory(count) }));
      ledger = recorded(ledger, { commit: commitOf(count), date: 'd', held, failed: [] }, ids);
      runs.push(new Set(held));
    }
    for (let n = 0; n + 4 <= runs.length; n++)
      expect(new Set(runs.slice(n, n + 4).flatMap((each) => [...each])).size).toBe(parts.length);
  });

  it('take about a quarter of the seconds each', () => {
    const total = Object.values(seconds).reduce((sum, { cpu }) => sum + (cpu ?? 0), 0);
    for (let count = 101; count <= 104; count++) {
      const ran = chosenIds(makePlan({ parts, ledger: wholeAt(100), seconds, history: fakeHistory(count) }));
      const took = ran.reduce((sum, id) => sum + (seconds[id]?.cpu ?? 0), 0);
      expect(took / total).toBeLessThan(0.3);
    }
  });
});

describe('a part', () => {
  it('runs when something near it changed since its own commit, at ten places', () => {
    for (let n = 1; n <= 10; n++) {
      const ledger = wholeAt(100);
      const history = fakeHistory(104, { 103: [`src/prove p${n}`, `src/packages/x/t${n}.test.ts`] });
      const { chosen } = makePlan({ parts, ledger, seconds, history });
      const reasons = new Map([...chosen].map(([{ id }, reason]) => [id, reason]));
      expect(reasons.get(`prove p${n}`)).toBe(`changed: src/prove p${n}`);
      expect(reasons.get(`packages/x/t${n}.test.ts`)).toContain('changed:');
    }
  });

  it('is not run for a change that it has held after', () => {
    const all = wholeAt(100);
    const ledger = recorded(all, { commit: commitOf(103), date: 'd', held: ['prove p7'], failed: [] }, ids);
    const history = fakeHistory(104, { 102: ['src/prove p7', 'src/prove p8'] });
    const ran = chosenIds(makePlan({ parts, ledger, seconds, history }));
    expect(ran).not.toContain('prove p7');
    expect(ran).toContain('prove p8');
  });

  it('runs until it holds once it has failed, with nothing near it changed', () => {
    const ledger = recorded(
      wholeAt(100),
      { commit: commitOf(101), date: 'd', held: [], failed: ['prove p9'] },
      ids,
    );
    for (let count = 101; count < 106; count++)
      expect(chosenIds(makePlan({ parts, ledger, seconds, history: fakeHistory(count) }))).toContain(
        'prove p9',
      );
  });

  it('at the core runs each time, and any that is new or was not proven for long', () => {
    const [first] = parts;
    const newer = {
      runs: [{ commit: commitOf(100), date: 'd', parts: [...ids].filter((id) => id !== 'prove p5') }],
    };
    for (let count = 101; count < 105; count++) {
      const ran = chosenIds(makePlan({ parts, ledger: newer, seconds, history: fakeHistory(count) }));
      expect(ran).toContain(first?.id);
      expect(ran).toContain('prove p5');
    }
    const late = makePlan({ parts, ledger: newer, seconds, history: fakeHistory(101 + stale) });
    expect(late.left).toEqual([]);
  });
});

describe('everything runs, and the plan says why,', () => {
  const base = { parts, seconds, history: fakeHistory(104), ledger: wholeAt(100) };
  it.each([
    ['when asked to', { all: '--all' }, '--all'],
    ['in a shallow clone', { history: { ...base.history, missing: 'the clone is shallow' } }, 'shallow'],
    ['without a ledger', { ledger: { runs: [] } }, 'no run is recorded'],
    ['where the ledger names an unknown commit', { ledger: wholeAt(900) }, 'which is not in the history'],
  ])('%s', (_, change, why) => {
    const plan = makePlan({ ...base, ...change });
    expect(plan.chosen.size).toBe(parts.length);
    expect(planText(plan, seconds)).toMatch(new RegExp(`^everything runs: .*${why}`));
  });
});

it('the text of a plan names each part that runs with its reason, and each that does not', () => {
  const plan = makePlan({ parts, ledger: wholeAt(100), seconds, history: fakeHistory(101) });
  const text = planText(plan, seconds);
  expect(text).toContain('quarter 2 of 4 is first in turn');
  expect(text).toContain('prove p0  (core)');
  for (const { id } of plan.left) expect(text).toContain(`\n${id}\n`);
});
