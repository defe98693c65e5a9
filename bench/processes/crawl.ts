import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { type Crawled, type CrawlTask, crawlInput } from './crawl-task.ts';

/**
 * The whole product as a person runs it, with a number of processes: store on disk, leases, robots.txt, records and
 * link graph. Only the pauses of politeness are nothing.
 */
const task = JSON.parse(process.argv[2] ?? '{}') as CrawlTask;
const { folder, processes } = task;
const input = crawlInput(task);
/** CPU time of this process, and of those it has started, so far. */
function cpuMs(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1_000, children: processes > 1 ? childrenCpuMs() : 0 };
}

function childrenCpuMs(): number {
  const ids = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean);
  const ticks = ids.map((id) => {
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, n) => sum + n, 0) * 10;
}

const openedAtMs = performance.now();
const job = resolveJob(input);
const { run } = await openLocal({
  job,
  input,
  folder: join(folder, 'crawl'),
  userAgent: userAgentFor(job, '0'),
  ledger: join(folder, 'hosts.db'),
});
let first: { atMs: number; cpu: ReturnType<typeof cpuMs> } | undefined;
let lastAtMs = 0;
let last = cpuMs();
for await (const event of run) {
  if (event.type === 'record') {
    lastAtMs = performance.now();
    first ??= { atMs: lastAtMs, cpu: cpuMs() };
  } else if (event.type === 'crawl-state') last = cpuMs();
}
const { snapshot } = await run;
const begun = first?.cpu ?? last;
const crawled: Crawled = {
  pages: snapshot.byStatus['200'] ?? 0,
  crawlMs: lastAtMs - (first?.atMs ?? lastAtMs),
  startMs: (first?.atMs ?? lastAtMs) - openedAtMs,
  ownCpuMs: last.own - begun.own,
  childrenCpuMs: last.children - begun.children,
};
console.log(JSON.stringify(crawled));
