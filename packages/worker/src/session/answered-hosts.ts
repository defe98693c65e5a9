import type { CrawlId, HostKey, Url } from '@webfarer/protocol';

const hostsKept = 10_000;

/** Where a request went. What one crawl may ask for, another may not. */
interface Asked {
  crawl: CrawlId;
  host: HostKey;
}

/** What each host has answered to this worker, and how many requests in a row it has left without an answer since. */
export interface AnsweredHosts {
  answered(asked: Asked, url: Url): void;
  /** A request that was sent, or could not be, had no answer. Returns how many in a row that makes. */
  failed(asked: Asked): number;
  /** The page that answered last. */
  lastPage(asked: Asked): Url | undefined;
}

interface Known {
  page: Url | undefined;
  failuresInRow: number;
}

export function createAnsweredHosts(): AnsweredHosts {
  /** Those that were asked last come last. */
  const hosts = new Map<string, Known>();
  const keyOf = ({ crawl, host }: Asked) => `${crawl} ${host}`;

  function known(asked: Asked): Known {
    const key = keyOf(asked);
    const one = hosts.get(key) ?? { page: undefined, failuresInRow: 0 };
    hosts.delete(key);
    hosts.set(key, one);
    const [oldest] = hosts.keys();
    if (hosts.size > hostsKept && oldest !== undefined) hosts.delete(oldest);
    return one;
  }

  return {
    answered(asked, url) {
      const one = known(asked);
      one.page = url;
      one.failuresInRow = 0;
    },
    failed(asked) {
      const one = known(asked);
      one.failuresInRow += 1;
      return one.failuresInRow;
    },
    lastPage: (asked) => hosts.get(keyOf(asked))?.page,
  };
}
