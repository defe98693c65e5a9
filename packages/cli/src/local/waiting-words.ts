import type { CrawlSnapshot } from '@webfarer/protocol';

/** What the crawl is waiting for, in one line; undefined when nothing waits. */
export function waitingWords({ waiting, pause, inFlight }: CrawlSnapshot): string | undefined {
  if (pause) return pause.text;
  const [next] = waiting;
  if (!next || inFlight > 0) return next && next.dueInMs > 0 ? hostWords(next) : undefined;
  return hostWords(next);
}

function hostWords(next: CrawlSnapshot['waiting'][number]): string {
  if (next.dead) return `${next.host}: given up, settling its queue`;
  return `${next.host}, next in ${(next.dueInMs / 1_000).toFixed(1)} s (${next.why})`;
}
