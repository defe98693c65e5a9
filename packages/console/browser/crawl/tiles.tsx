import type { CrawlStatus } from '../api/crawl-status.ts';
import { useLeftWords } from '../parts/left-words.ts';
import type { ShownState } from '../parts/state-badge.tsx';
import { TileList } from '../parts/tile-list.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

export function Tiles({ status, state }: { status: CrawlStatus | undefined; state: ShownState }) {
  const { crawl: words } = useText();
  const { rate, count, bytes, span } = useFormats();
  const left = useLeftWords(status, state);
  if (!status) return <div className="tiles" />;
  const { pagesPerSecond = 0, inFlight = 0, elapsedMs, latency, hostsQueued, balance } = status;
  const tiles = [
    { name: words.rate, value: rate(pagesPerSecond), hint: left },
    {
      name: words.queue,
      value: count(balance?.queued ?? 0),
      hint: hostsQueued === undefined ? '' : words.hosts(count(hostsQueued)),
    },
    { name: words.inFlight, value: count(inFlight), hint: words.inFlightHint },
    { name: words.bytes, value: bytes(status.bytes ?? 0), hint: '' },
    ...(latency
      ? [
          {
            name: words.latency,
            value: span(latency.p50Ms),
            hint: words.latencyHint(span(latency.p95Ms)),
          },
        ]
      : []),
    ...(elapsedMs === undefined ? [] : [{ name: words.elapsed, value: span(elapsedMs), hint: '' }]),
  ];
  return <TileList tiles={tiles} />;
}
