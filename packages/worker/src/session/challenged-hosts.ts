import type { CrawlId, HostKey } from '@webfarer/protocol';

/** Challenges in a row after which a crawl does not ask the host any more for a while. */
export const CHALLENGES_OF_HOST = 3;
/** How long that is. */
export const LEFT_ALONE_MS = 3_600_000;
const HOSTS_KEPT = 10_000;

/** Hosts that answered with challenges, by crawl: one crawl may be let in where another is not. */
export interface ChallengedHosts {
  /** Answers how many in a row that makes. */
  add(crawl: CrawlId, host: HostKey, nowMs: number): number;
  /** The host answered with a page. */
  clear(crawl: CrawlId, host: HostKey): void;
  isLeftAlone(crawl: CrawlId, host: HostKey, nowMs: number): boolean;
}

export function createChallengedHosts(): ChallengedHosts {
  const hosts = new Map<string, { inRow: number; lastMs: number }>();
  const keyOf = (crawl: CrawlId, host: HostKey) => `${crawl} ${host}`;
  return {
    add(crawl, host, nowMs) {
      const key = keyOf(crawl, host);
      const inRow = (hosts.get(key)?.inRow ?? 0) + 1;
      hosts.delete(key);
      hosts.set(key, { inRow, lastMs: nowMs });
      const [oldest] = hosts.keys();
      if (hosts.size > HOSTS_KEPT && oldest !== undefined) hosts.delete(oldest);
      return inRow;
    },
    clear(crawl, host) {
      if (hosts.size > 0) hosts.delete(keyOf(crawl, host));
    },
    isLeftAlone(crawl, host, nowMs) {
      if (hosts.size === 0) return false;
      const known = hosts.get(keyOf(crawl, host));
      return known !== undefined && known.inRow >= CHALLENGES_OF_HOST && nowMs < known.lastMs + LEFT_ALONE_MS;
    },
  };
}
