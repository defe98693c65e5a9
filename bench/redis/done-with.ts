import type { HostLease, LeaseReport, Offer, Url } from '../../packages/protocol/src/index.ts';

/** Every page of a lease is done and the host is given back; `linksOf` says what each page offers. */
export function doneWith(lease: HostLease, linksOf: (url: Url) => Offer[] = () => []): LeaseReport {
  const { id, crawl, host, fence, entries } = lease;
  return {
    id,
    crawl,
    host,
    fence,
    close: true,
    news: { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' },
    settled: entries.map((entry) => {
      const offers = linksOf(entry.url);
      return {
        kind: 'outcome',
        url: entry.url,
        offers,
        edges: [],
        items: [],
        dropped: {},
        record: {
          url: entry.url,
          kind: entry.kind,
          depth: entry.depth,
          verdict: 'done',
          reason: 'ok',
          status: 200,
          attempts: 1,
          bytes: 20_000,
          startedAtMs: 1,
          durationMs: 100,
          links: offers.length,
          items: 0,
        },
      };
    }),
  };
}
