// watches: packages/coordinator/src/resources, packages/protocol/src/resources
// misses: the measurement of the resource monitor no longer runs
import { type ChildProcess, spawn } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { argument } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { ratioOf } from './broad/statistics.ts';
import { mainThreadCpuMs } from './process-cpu.ts';

/** Of one core. */
const bar = 0.005;
const sizes = { quick: { rounds: 1, seconds: 2 }, full: { rounds: 5, seconds: 20 } };
const program = join(import.meta.dirname, 'resources/monitor-program.ts');

/**
 * What the resource monitor costs a process: two of them run side by side and do nothing, one of them with the monitor of a
 * coordinator, and their CPU time is compared. `--rounds N --seconds N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const rounds = Number(argument(args, '--rounds') ?? usual.rounds);
  const seconds = Number(argument(args, '--seconds') ?? usual.seconds);
  const [idle, monitored] = [start('idle'), start('monitored')];
  const measured: { idle: number; monitored: number }[] = [];
  try {
    // Starting, and what is compiled when it first runs, is not what it costs for months.
    await Promise.all([idle.ready, monitored.ready]);
    for (let round = 0; round < rounds; round++) {
      const before = [idle.cpuMs(), monitored.cpuMs()] as const;
      const startedMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      const tookMs = performance.now() - startedMs;
      const one = {
        idle: (idle.cpuMs() - before[0]) / tookMs,
        monitored: (monitored.cpuMs() - before[1]) / tookMs,
      };
      measured.push(one);
      console.error(`  ${JSON.stringify(one)} load ${loadavg()[0]?.toFixed(1)}`);
    }
  } finally {
    await Promise.all([idle.stop(), monitored.stop()]);
  }
  const percent = ratioOf(measured.map((one) => (one.monitored - one.idle) * 100));
  return {
    ok: quick || (percent.median ?? 100) < bar * 100,
    result: {
      percentOfCore: percent.median,
      interval: percent.interval,
      rounds: percent.rounds,
      bar: bar * 100,
      load: loadavg()[0],
      sizes: { rounds, seconds, cores: cpus().length },
    },
  };
}

function start(kind: 'idle' | 'monitored') {
  const child: ChildProcess = spawn(process.execPath, [program, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    ready: new Promise<void>((resolve) => child.stdout?.once('data', () => resolve())),
    cpuMs: () => mainThreadCpuMs(child.pid ?? 0),
    async stop() {
      child.stdin?.end();
      await gone;
    },
  };
}
