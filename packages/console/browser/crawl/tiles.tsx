import type { Balance } from '@webfarer/protocol';
import { capital, type NumberName, numberOf } from '@webfarer/protocol/numbers';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useLeftWords } from '../parts/left-words.ts';
import type { LifeState } from '../parts/state-badge.tsx';
import { TileList } from '../parts/tile-list.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

interface TilesProps {
  status: CrawlStatus | undefined;
  state: LifeState;
  /** As the legend above shows it. */
  balance: Balance | undefined;
}

export function Tiles({ status, state, balance }: TilesProps) {
  const { crawl: words, numbers } = useText();
  const { rate, count, bytes, span } = useFormats();
  const left = useLeftWords(status, state);
  if (!status) return <div className="tiles" />;
  const { elapsedMs, latency, hostsQueued } = status;
  // Absent is not 0.
  const shown = (name: NumberName, write: (n: number) => string): string => {
    const value = numberOf(name, { ...status, balance, state: state === 'failed' ? undefined : state });
    return value === undefined ? '–' : write(value);
  };
  const tiles = [
    { name: capital(numbers.pagesPerSecond), value: shown('pagesPerSecond', rate), hint: left },
    {
      name: capital(numbers.queued),
      value: shown('queued', count),
      hint: hostsQueued === undefined ? '' : words.hosts(count(hostsQueued)),
    },
    { name: capital(numbers.inFlight), value: shown('inFlight', count), hint: words.inFlightHint },
    { name: capital(numbers.bytes), value: shown('bytes', bytes), hint: '' },
    ...(latency
      ? [
          {
            name: capital(numbers.responseTime),
            value: span(latency.p50Ms),
            hint: words.latencyHint(span(latency.p95Ms)),
          },
        ]
      : []),
    ...(elapsedMs === undefined
      ? []
      : [{ name: capital(numbers.elapsed), value: span(elapsedMs), hint: '' }]),
  ];
  return <TileList tiles={tiles} />;
}
