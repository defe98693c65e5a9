import type { CrawlId, HostKey, HostSums, HostWait } from '@webfarer/protocol';
import type { CrawlHost } from '@webfarer/protocol/api';
import type { Frontier } from '../frontier/frontier.ts';
import type { HostRuling } from '../host-rules/host-ruling.ts';

export interface CrawlHostsOptions {
  frontier: Pick<Frontier, 'waiting' | 'hostSums'>;
  /** Hosts that workers hold and pause on, as they tell. */
  held: readonly HostWait[];
  limit: number;
  ruling: Pick<HostRuling, 'of'>;
}

/** Hosts of a crawl, soonest first: those that workers hold and pause on, and those that wait in the store. */
export async function crawlHosts(
  crawl: CrawlId,
  { frontier, held, limit, ruling }: CrawlHostsOptions,
): Promise<CrawlHost[]> {
  const waiting = await frontier.waiting(crawl, limit);
  const known = new Map<HostKey, HostWait>(waiting.map((wait) => [wait.host, wait]));
  const rest = held.map(({ host }) => host).filter((host) => !known.has(host));
  const sums: ReadonlyMap<HostKey, HostSums> =
    rest.length > 0 ? await frontier.hostSums(crawl, rest) : new Map();
  // The store knows only that a held host is held; who holds it knows until when. What the worker has leased of it and
  // not requested waits beside what the store has queued.
  for (const wait of held) {
    const stored = known.get(wait.host);
    const queued = (stored?.queued ?? 0) + wait.queued;
    known.set(wait.host, { ...stored, ...sums.get(wait.host), ...wait, queued });
  }
  const isHeld = new Set(held.map(({ host }) => host));
  return [...known.values()]
    .toSorted((a, b) => a.dueInMs - b.dueInMs)
    .slice(0, limit)
    .map((wait) => shown(wait, { ruling, isHeld: isHeld.has(wait.host) }));
}

function shown(
  { host, queued, dueInMs, why, dead, detail, pages = 0, bytes = 0, troubles = 0 }: HostWait,
  { ruling, isHeld }: { ruling: Pick<HostRuling, 'of'>; isHeld: boolean },
): CrawlHost {
  const treatment = ruling.of(host);
  const rule = treatment?.kind === 'refuse' ? treatment.detail : treatment?.pace.rule;
  const state = (): CrawlHost['state'] => {
    if (dead) return 'dead';
    if (treatment?.kind === 'refuse') return 'refused';
    if (isHeld || why === 'held') return 'held';
    return dueInMs > 0 ? 'waiting' : 'due';
  };
  return {
    host,
    state: state(),
    queued,
    pages,
    bytes,
    troubles,
    dueInMs: Math.round(dueInMs),
    why,
    ...(detail === undefined ? {} : { detail }),
    ...(rule === undefined ? {} : { rule }),
  };
}
