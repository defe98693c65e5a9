import { cpus, loadavg } from 'node:os';
import { argument, workFolder } from '../test/prove/lab.ts';
import { type Compared, compared } from './against/figures.ts';
import { hasBench, thisTree, type Tree, treeOf } from './against/tree.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Ratio, ratioOf } from './broad/statistics.ts';

/** A commit may be this much slower than its base before the difference counts. */
const bar = 0.97;

interface Comparison extends Ratio {
  unit: string;
  here: number[];
  base: number[];
}

/**
 * This checkout against another commit in one run, the two taking turns: `--base COMMIT`, `--only NAME,NAME`,
 * `--rounds N`. A bench passes at a median ratio of 0.97, or with an interval that holds 1. The quick form
 * compares HEAD with itself.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const names = argument(args, '--only')?.split(',') ?? (quick ? ['frontier-sqlite'] : Object.keys(compared));
  const unknown = names.find((name) => !compared[name]);
  if (unknown) throw new Error(`--only takes ${Object.keys(compared).join(', ')}, not ${unknown}`);
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const work = workFolder('against');
  const here = await thisTree();
  const base = await treeOf(argument(args, '--base') ?? 'HEAD', work.path);
  const ratios: Record<string, Comparison> = {};
  try {
    for (const name of names) {
      const one = compared[name];
      if (one && hasBench(base, name)) ratios[name] = await compare(name, one, { here, base, rounds, quick });
    }
  } finally {
    await base.remove();
    work.remove();
  }
  const slower = Object.entries(ratios).flatMap(([name, ratio]) => (isSlower(ratio) ? [name] : []));
  return {
    // One round on a busy machine says nothing about speed.
    ok: quick || slower.length === 0,
    result: {
      ratios,
      slower,
      bar,
      load: loadavg()[0],
      sizes: { rounds, here: here.commit, base: base.commit, cores: cpus().length },
    },
  };
}

interface Sides {
  here: Tree;
  base: Tree;
  rounds: number;
  quick: boolean;
}

async function compare(
  name: string,
  one: Compared,
  { here, base, rounds, quick }: Sides,
): Promise<Comparison> {
  const args = quick ? one.quickArgs : one.args;
  const figures = { here: [] as number[], base: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['here', 'base'] as const) : (['base', 'here'] as const);
    for (const side of order) {
      const tree = side === 'here' ? here : base;
      figures[side].push(one.figure(await tree.bench(name, args)));
    }
    console.error(`  ${name} round ${round + 1}: ${figures.here.at(-1)} to ${figures.base.at(-1)} (base)`);
  }
  const ratio = ratioOf(figures.here.map((figure, n) => figure / (figures.base[n] ?? Number.NaN)));
  return { ...ratio, unit: one.unit, ...figures };
}

function isSlower({ median, interval }: Ratio): boolean {
  return (median ?? 0) < bar && (interval?.[1] ?? 0) < 1;
}
