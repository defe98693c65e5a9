import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What a contender is told: the same for all. */
export interface Task {
  seeds: string[];
  /** Regular expression: only URLs that fit are followed; links elsewhere are read and counted. */
  inside: string;
  concurrency: number;
  folder: string;
  /** PEM file of the authority to trust, where pages come over TLS. */
  ca?: string;
}

/** What a contender answers, as one line of JSON. */
export interface Finished {
  pages: number;
  /** Links read: different http(s) targets of `a` and `area`, summed over the pages. */
  links: number;
  /** Over the sorted list of URLs answered with 200: equal work has an equal digest. */
  digest: string;
  /** Of the process and its children, from the first request to the last page; loading code comes before. */
  cpuMs: number;
  /** What loading its code took, in CPU time. */
  startCpuMs: number;
  /** CPU time up to each moment that a contender names, from the first request on; only the product names any. */
  marks?: Record<string, number>;
  wallMs: number;
  rssMiB: number;
}

let startCpuMs = 0;
let startedAtMs = 0;
const marks: Record<string, number> = {};

/** Notes the CPU time at a moment; the last one of a name counts. */
export function mark(name: string): void {
  marks[name] = treeCpuMs() - startCpuMs;
}

/** Called when all code is loaded: measuring begins here. */
export function readTask(): Task {
  startCpuMs = treeCpuMs();
  startedAtMs = performance.now();
  return JSON.parse(process.argv[2] ?? '{}') as Task;
}

/** CPU time of this process, all its threads, and the children it has waited for. */
export function treeCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000 + childrenCpuMs());
}

function childrenCpuMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    // cutime and cstime, in ticks of 10 ms.
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

/** Called at the last page: measuring ends here. */
export function stopMeasuring(): Pick<Finished, 'cpuMs' | 'startCpuMs' | 'wallMs' | 'marks'> {
  const wallMs = Math.round(performance.now() - startedAtMs);
  return { cpuMs: treeCpuMs() - startCpuMs, startCpuMs, wallMs, marks };
}

export function finish(urls: Iterable<string>, links: number, measured = stopMeasuring()): void {
  const sorted = [...urls].toSorted();
  const finished: Finished = {
    pages: sorted.length,
    links,
    digest: createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 16),
    ...measured,
    rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
  };
  console.log(JSON.stringify(finished));
}
