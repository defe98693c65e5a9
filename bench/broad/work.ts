import { createHash } from 'node:crypto';
import type { FakeWeb } from '../../test/fake-web/server.ts';

/** What a contender is told: the same for all. */
export interface Task {
  seeds: string[];
  /** Only URLs of these origins count; everything else is left alone. */
  hosts: string;
  fetch: FakeWeb['fetch'];
  concurrency: number;
  folder: string;
}

/** What a contender answers, as one line of JSON. */
export interface Finished {
  pages: number;
  /** Over the sorted list of URLs with an answer: equal work has an equal digest. */
  digest: string;
  cpuMs: number;
  wallMs: number;
  rssMiB: number;
}

/** Hosts that only serve: no robots rules, no waiting, no traps. */
export const plainHosts =
  '^http://(alpha|bravo|delta|gamma|kappa|omega|sigma|theta|zeta|coral|(www|blog)\\.(river|stone|cloud|field|maple|amber))\\d+\\.test:';

export function readTask(): Task {
  return JSON.parse(process.argv[2] ?? '{}') as Task;
}

export function finish(urls: Iterable<string>, startedMs: number): void {
  const sorted = [...urls].toSorted();
  const digest = createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 16);
  const { user, system } = process.cpuUsage();
  const finished: Finished = {
    pages: sorted.length,
    digest,
    cpuMs: Math.round((user + system) / 1_000),
    wallMs: Math.round(performance.now() - startedMs),
    rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
  };
  console.log(JSON.stringify(finished));
}
