import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CrawlHost } from '@webfarer/protocol/api';
import { useMemo } from 'react';
import { useConnected } from '../api/connected.tsx';
import { type ChartRange, chartRanges, rangeSpans } from '../api/history.ts';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { hostsText } from '../text/hosts-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { type HeatMap, heatMap, heatLevels, type HeatRow } from './heat-map.ts';
import { HeatRows } from './heat-rows.tsx';
import { type HostSort, hostRows, hostSorts, type HostView } from './host-rows.ts';

interface HeatViewProps {
  crawl: string;
  isRunning: boolean;
  /** As the list has them, for their order. */
  hosts: readonly CrawlHost[];
  view: HostView;
  range: ChartRange;
  show: (next: { range?: ChartRange; sort?: HostSort; down?: boolean }) => void;
}

/** A new sample is there so often. */
const againMs = 20_000;
/** Of so many hosts at most a crawl records what they do. */
const mostRecorded = 200;

/** What the busiest hosts of a crawl did over time. */
export function HeatView({ crawl, isRunning, hosts, view, range, show }: HeatViewProps) {
  const text = useTextOf(hostsText);
  const { map: words } = text;
  const { count, local, utc } = useFormats();
  const { time } = useText();
  const { client } = useConnected();
  const { data, error } = useQuery({
    queryKey: ['host-history', crawl, isRunning],
    queryFn: () => client.getHostHistory({ params: { crawl } }),
    placeholderData: (before) => before,
    retry: false,
    ...(isRunning ? { refetchInterval: againMs } : {}),
  });
  const map = useMemo(() => data && heatMap(data, rangeSpans[range]), [data, range]);
  const rows = useMemo(() => (map ? ordered(map.rows, hosts, view) : []), [map, hosts, view]);
  if (error) return <Problem error={error} />;
  if (!map) return <p className="soft">{words.loading}</p>;
  if (map.columns.length === 0 || map.rows.length === 0)
    return (
      <EmptyState title={isRunning ? words.collecting : words.nothing}>
        <p>{isRunning ? words.collectingLead : words.nothingLead}</p>
      </EmptyState>
    );
  const sinceMs = data?.moments[0]?.atMs ?? 0;
  const all = map.rows.length;
  const countWords = () => {
    if (rows.length < all) return words.matching(count(rows.length), count(all));
    return all < mostRecorded ? words.all(count(all)) : words.busiest(count(all));
  };
  return (
    <section className="panel heat-panel" aria-label={words.title}>
      <div className="heat-head">
        <p className="soft" role="status">
          {countWords()} ·{' '}
          <time dateTime={new Date(sinceMs).toISOString()} title={`${utc(sinceMs)} ${time.utc}`}>
            {words.since(local(sinceMs))}
          </time>
        </p>
        <NativeSelect
          size="sm"
          aria-label={text.order}
          value={view.sort}
          onChange={(event) => {
            const sort = hostSorts.find((each) => each === event.currentTarget.value) ?? 'due';
            show({ sort, down: sort !== 'due' && sort !== 'host' });
          }}
          data={hostSorts.map((value) => ({ value, label: text.orders[value] }))}
        />
        <SegmentedControl
          className="seg"
          size="sm"
          aria-label={words.range}
          value={range}
          onChange={(value) => show({ range: value as ChartRange })}
          data={chartRanges.map((value) => ({ value, label: words.ranges[value] }))}
        />
      </div>
      <svg className="heat-defs" width="0" height="0" aria-hidden="true">
        <pattern
          id="heat-hatch"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path className="heat-hatch" d="M0 0H2V5H0Z" />
        </pattern>
      </svg>
      <Legend map={map} />
      {map.columns.some(({ isGap }) => isGap) ? <p className="soft heat-gaps">{words.gaps}</p> : null}
      {rows.length > 0 ? <HeatRows map={map} rows={rows} /> : <p className="soft">{words.noMatch}</p>}
    </section>
  );
}

/** In the order of the list; hosts that are not in it have nothing queued, and follow. By themselves: the busiest first. */
function ordered(rows: readonly HeatRow[], hosts: readonly CrawlHost[], view: HostView): HeatRow[] {
  const needle = view.q.trim().toLowerCase();
  const found = rows
    .filter(({ host }) => host.toLowerCase().includes(needle))
    .toSorted((a, b) => b.pages - a.pages || (a.host < b.host ? -1 : 1));
  if (view.sort === 'due') return found;
  if (view.sort === 'host')
    return found.toSorted((a, b) => (view.down ? -1 : 1) * (a.host < b.host ? -1 : 1));
  const places = new Map(hostRows(hosts, { ...view, q: '' }).map(({ host }, n) => [host, n]));
  return found.toSorted((a, b) => (places.get(a.host) ?? Infinity) - (places.get(b.host) ?? Infinity) || 0);
}

/** What the colors stand for, in words. */
function Legend({ map: { levels, stepMs } }: { map: HeatMap }) {
  const { map: words } = useTextOf(hostsText);
  const { count, span } = useFormats();
  const strongest = heatLevels - (levels.length - 1);
  return (
    <dl className="heat-legend">
      <dt>{words.legend(span(stepMs))}</dt>
      {levels.map((least, n) => {
        const next = levels[n + 1];
        const level = n === 0 ? 0 : n + strongest;
        const range = () => {
          if (n === 0) return words.none;
          return next === undefined ? words.from(count(least)) : words.between(count(least), count(next - 1));
        };
        return (
          <dd key={least}>
            <Swatch kind={`level${level}`} />
            {range()}
          </dd>
        );
      })}
      <dd>
        <Swatch kind="trouble" />
        {words.trouble}
      </dd>
      <dd>
        <Swatch kind="unknown" />
        {words.unknown}
      </dd>
    </dl>
  );
}

const Swatch = ({ kind }: { kind: string }) => (
  <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
    <path className={`heat-${kind}`} d={kind === 'trouble' ? 'M0 9H14V14H0Z' : 'M0 0H14V14H0Z'} />
    <rect className="heat-frame" x="0.5" y="0.5" width="13" height="13" />
  </svg>
);
