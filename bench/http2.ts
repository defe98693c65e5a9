// watches: packages/worker/src/egress
// misses: the measurement of HTTP/2 no longer runs
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'undici';
import { makeCertificates } from '../test/fake-web/certificates.ts';
import { workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { mainThreadCpuMs } from './process-cpu.ts';

/**
 * Whether HTTP/2 would pay: one connection to a host and one request in flight, as a lease has it, by undici with and
 * without `allowH2`, from a server that speaks both. Rounds take turns. Two shapes: many pages over one connection, and
 * three pages for each connection, which is what a lease of a wide crawl comes to. Ratios are of HTTP/2 to HTTP/1.1.
 */
interface Shape {
  name: string;
  bytes: number;
  connections: number;
  pages: number;
}

const headers = {
  'User-Agent': 'webfarer/0.1.0 (+https://example.org/crawler)',
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br',
};

function shapesFor(quick: boolean): Shape[] {
  const times = quick ? 1 : 20;
  return [
    { name: 'small', bytes: 2_000, connections: 1, pages: 50 * times },
    { name: 'page', bytes: 30_000, connections: 1, pages: 50 * times },
    { name: 'large', bytes: 300_000, connections: 1, pages: 10 * times },
    { name: 'lease', bytes: 30_000, connections: 5 * times, pages: 3 },
  ];
}

type Version = 'h1' | 'h2';
interface Cost {
  cpuMs: number;
  wallMs: number;
}

export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  const rounds = quick ? 3 : 9;
  const work = workFolder('http2');
  const { caFile } = await makeCertificates(work.path, ['localhost']);
  const server = fork(join(import.meta.dirname, 'http2/server.ts'), [
    join(work.path, 'server.key'),
    join(work.path, 'server.pem'),
  ]);
  try {
    const port = await new Promise<number>((resolve) => server.once('message', (at) => resolve(Number(at))));
    const origin = `https://localhost:${port}`;
    const ca = readFileSync(caFile, 'utf8');
    const result: Record<string, unknown> = {};
    for (const shape of shapesFor(quick)) {
      const measured: Record<Version, Cost[]> = { h1: [], h2: [] };
      for (let round = -1; round < rounds; round++) {
        const order: Version[] = round % 2 === 0 ? ['h1', 'h2'] : ['h2', 'h1'];
        for (const version of order) {
          const cost = await fetchAll({ origin, ca, version, shape });
          // The first round warms up.
          if (round >= 0) measured[version].push(cost);
        }
      }
      result[shape.name] = ratiosOf(measured, shape);
      console.error(`  ${shape.name}: ${JSON.stringify(result[shape.name])}`);
    }
    return { ok: true, result: { sizes: { rounds, shapes: shapesFor(quick) }, ...result } };
  } finally {
    server.disconnect();
    work.remove();
  }
}

interface Task {
  origin: string;
  ca: string;
  version: Version;
  shape: Shape;
}

async function fetchAll({ origin, ca, version, shape }: Task): Promise<Cost> {
  const cpuBefore = mainThreadCpuMs(process.pid);
  const before = performance.now();
  for (let n = 0; n < shape.connections; n++) {
    const allowH2 = version === 'h2';
    const client = new Client(origin, { allowH2, pipelining: 1, connect: { ca } });
    for (let page = 0; page < shape.pages; page++) {
      const { statusCode, body } = await client.request({ method: 'GET', path: `/${shape.bytes}`, headers });
      let bytes = 0;
      for await (const chunk of body) bytes += (chunk as Buffer).length;
      if (statusCode !== 200 || bytes !== shape.bytes) throw new Error(`${statusCode}, ${bytes} bytes`);
    }
    await client.close();
  }
  return { cpuMs: mainThreadCpuMs(process.pid) - cpuBefore, wallMs: performance.now() - before };
}

function ratiosOf(measured: Record<Version, Cost[]>, { connections, pages }: Shape) {
  const requests = connections * pages;
  const per = (version: Version, of: keyof Cost) =>
    median(measured[version].map((cost) => cost[of] / requests));
  const ratios = (of: keyof Cost) =>
    measured.h2.map((cost, i) => cost[of] / (measured.h1[i]?.[of] ?? Number.NaN)).toSorted((a, b) => a - b);
  const cpu = ratios('cpuMs');
  return {
    cpuRatio: round(median(cpu)),
    cpuRange: [round(cpu[0] ?? 0), round(cpu.at(-1) ?? 0)],
    timeRatio: round(median(ratios('wallMs'))),
    cpuMsPerRequest: { h1: round(per('h1', 'cpuMs')), h2: round(per('h2', 'cpuMs')) },
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
