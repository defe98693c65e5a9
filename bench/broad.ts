import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WebSize } from '../test/fake-web/hosts.ts';
import { type FakeWeb, startFakeWeb } from '../test/fake-web/server.ts';
import { argument, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Finished, plainHosts, type Task } from './broad/work.ts';

const run = promisify(execFile);
const sizes = { quick: { web: 'S', rounds: 1 }, full: { web: 'M', rounds: 5 } } as const;
const concurrency = 100;

/**
 * Pages per second of CPU, the whole product against the bare engine, on the same pages in the same run.
 * Rounds alternate which goes first; the figure is the median of the rounds' ratios.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const web = (argument(args, '--web') ?? size.web) as WebSize;
  const work = workFolder('broad');
  const fake = await startFakeWeb({ size: web, seed: 7, hugeBytes: 150_000 });
  try {
    const task: Task = {
      seeds: seedsOf(fake),
      hosts: plainHosts,
      fetch: fake.fetch,
      concurrency,
      folder: work.path,
    };
    const cpu: number[] = [];
    const wall: number[] = [];
    const rounds: { ours: Finished; bare: Finished }[] = [];
    let same = true;
    for (let round = 0; round < size.rounds; round++) {
      const order = round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const);
      const result: Partial<Record<'ours' | 'bare', Finished>> = {};
      for (const name of order) result[name] = await contend(name, task, fake);
      const { ours, bare } = result as { ours: Finished; bare: Finished };
      same &&= ours.digest === bare.digest;
      cpu.push(ours.pages / ours.cpuMs / (bare.pages / bare.cpuMs));
      wall.push(ours.pages / ours.wallMs / (bare.pages / bare.wallMs));
      rounds.push({ ours, bare });
      console.error(`  round ${round + 1}: ours ${rate(ours)}, bare ${rate(bare)} pages per CPU second`);
    }
    const oursToBare = median(cpu);
    return {
      ok: same,
      result: {
        oursToBare,
        oursToBareWall: median(wall),
        same,
        rounds,
        sizes: { ...size, web, concurrency },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

async function contend(name: 'ours' | 'bare', task: Task, fake: FakeWeb): Promise<Finished> {
  await fake.reset();
  rmSync(join(task.folder, 'ours.crawl'), { recursive: true, force: true });
  const { stdout } = await run(
    process.execPath,
    [join(import.meta.dirname, 'broad', `${name}.ts`), JSON.stringify(task)],
    { timeout: 300_000 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Finished;
}

function seedsOf(fake: FakeWeb): string[] {
  const inside = new RegExp(plainHosts);
  const seeds: string[] = [];
  for (let index = 0; index < fake.web.hosts; index++) {
    const url = `http://${fake.web.host(index).name}:${fake.httpPort}/`;
    if (fake.web.host(index).class === 'serve' && inside.test(url)) seeds.push(url);
  }
  return seeds;
}

function rate({ pages, cpuMs }: Finished): number {
  return Math.round((pages / cpuMs) * 1_000);
}

function median(values: number[]): number {
  return Math.round((values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0) * 1_000) / 1_000;
}
