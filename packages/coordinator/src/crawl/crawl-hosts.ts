import type { HostWait } from '@webfarer/protocol';
import type { CrawlHost } from '@webfarer/protocol/api';
import type { HostRuling } from '../host-rules/host-ruling.ts';

/** Hosts of a crawl, soonest first: those that workers hold and pause on, and those that wait in the store. */
export function crawlHosts(
  { held, waiting }: { held: readonly HostWait[]; waiting: readonly HostWait[] },
  ruling: Pick<HostRuling, 'of'>,
): CrawlHost[] {
  const known = new Map(waiting.map((wait) => [wait.host, wait]));
  // The store knows only that a held host is held; who holds it knows until when.
  for (const wait of held) known.set(wait.host, wait);
  const isHeld = new Set(held.map(({ host }) => host));
  return [...known.values()]
    .toSorted((a, b) => a.dueInMs - b.dueInMs)
    .map((wait) => shown(wait, { ruling, isHeld: isHeld.has(wait.host) }));
}

function shown(
  { host, queued, dueInMs, why, dead, detail }: HostWait,
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
    dueInMs: Math.round(dueInMs),
    why,
    ...(detail === undefined ? {} : { detail }),
    ...(rule === undefined ? {} : { rule }),
  };
}
