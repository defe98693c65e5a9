import type { CrawlStatistics } from '@webfarer/protocol/api';
import { TileList } from '../../parts/tile-list.tsx';
import { statsText } from '../../text/stats-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';

export function StatTiles({ statistics }: { statistics: CrawlStatistics }) {
  const { tiles: words } = useTextOf(statsText);
  const { count, bytes, span } = useFormats();
  const { totals, times, sizes } = statistics;
  const tiles = [
    { name: words.urls, value: count(totals.urls), hint: '' },
    { name: words.pages, value: count(totals.pages), hint: words.answers(count(totals.answers)) },
    { name: words.bytes, value: bytes(totals.bytes), hint: words.mean(bytes(sizes.quantiles.p50)) },
    { name: words.time, value: span(times.quantiles.p50), hint: words.within(span(times.quantiles.p95)) },
    { name: words.hosts, value: count(totals.hosts), hint: words.sites(count(totals.sites)) },
    { name: words.contents, value: count(totals.contents), hint: words.duplicates(count(totals.duplicates)) },
  ];
  return <TileList className="tiles stat-tiles" tiles={tiles} />;
}
