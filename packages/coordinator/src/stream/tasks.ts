import type { CrawlId, CrawlState } from '@webfarer/protocol';
import type { LiveLease } from '../link/lease-roster.ts';
import type { Documents } from './documents.ts';

export interface TasksOptions {
  /** Those that are open here. */
  crawls: () => Iterable<{ id: CrawlId; name: string; state: CrawlState }>;
  leases: () => Iterable<LiveLease>;
}

/** Hosts that are shown; those that workers have had longest come first, because they are what people look for. */
const mostHosts = 500;

/** What goes on in a coordinator: its crawls, and below each the hosts that its workers have. */
export function tasksOf({ crawls, leases }: TasksOptions, only: CrawlId | undefined): Documents {
  const open = [...crawls()].filter(({ id }) => only === undefined || id === only);
  const names = new Map(open.map(({ id, name }) => [id, name]));
  const held = [...leases()].flatMap(({ ref, worker, sinceMs }) => {
    const crawl = ref && names.get(ref.crawl);
    return crawl === undefined ? [] : [{ crawl, host: ref?.host ?? '', worker, sinceMs }];
  });
  const counts = Map.groupBy(held, ({ crawl }) => crawl);
  const tasks: [string, unknown][] = open.map(({ name, state }) => [
    `crawl ${name}`,
    { kind: 'crawl', name, state, hosts: counts.get(name)?.length ?? 0 },
  ]);
  for (const { crawl, host, worker, sinceMs } of held
    .toSorted((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, mostHosts))
    tasks.push([
      `host ${host} of ${crawl}`,
      { kind: 'host', within: `crawl ${crawl}`, host, worker, sinceMs: Math.round(sinceMs) },
    ]);
  return new Map(tasks);
}
