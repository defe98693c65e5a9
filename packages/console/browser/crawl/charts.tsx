import { SegmentedControl } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ChartPoint, chartPoints, isKnown } from '../api/chart-points.ts';
import { useConnected, useConnection } from '../api/connected.tsx';
import { chartRanges, rangeSpans, useHistory } from '../api/history.ts';
import { sampleOf } from '../api/rate-book.ts';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useNow } from '../parts/use-now.ts';
import { useText } from '../text/use-text.tsx';
import { type Series, TimeChart } from './time-chart.tsx';

interface ChartsProps {
  crawl: string;
  status: CrawlStatus | undefined;
  isRunning: boolean;
}

/** How the figures went since the crawl began, and go. */
export function Charts({ crawl, status, isRunning }: ChartsProps) {
  const { crawl: words, numbers: balance } = useText();
  const navigate = useNavigate();
  const { range = 'all' } = useSearch({ from: '/crawls/$crawl' });
  const { points, isLoading } = usePoints({ crawl, status, isRunning, range });
  const known = points.filter(isKnown);
  const charts: { title: string; lead: string; series: Series[] }[] = [
    {
      title: words.charts.rate,
      lead: known.length < points.length ? words.charts.breaks : words.charts.rateLead,
      series: [{ label: words.charts.rate, tone: 'accent', values: column(points, 'pagesPerSecond') }],
    },
    {
      title: words.charts.outcomes,
      lead: words.charts.outcomesLead,
      series: [
        { label: balance.done, tone: 'done', values: column(points, 'done') },
        { label: balance.refused, tone: 'refused', values: column(points, 'refused') },
        { label: balance.failed, tone: 'failed', values: column(points, 'failed') },
      ],
    },
    {
      title: words.charts.queue,
      lead: words.charts.queueLead,
      series: [{ label: balance.queued, tone: 'leased', values: column(points, 'queued') }],
    },
  ];
  const atSeconds = points.map(({ atMs }) => atMs / 1_000);
  const emptyWords = () => {
    if (isLoading) return words.charts.loading;
    return isRunning ? words.charts.collecting : words.charts.nothing;
  };
  return (
    <section aria-labelledby="course">
      <div className="course-head">
        <h2 id="course">{words.charts.title}</h2>
        <SegmentedControl
          className="seg"
          size="sm"
          aria-label={words.charts.range}
          value={range}
          onChange={(value) =>
            void navigate({
              to: '/crawls/$crawl',
              params: { crawl },
              search: value === 'all' ? {} : { range: value },
              replace: true,
              resetScroll: false,
            })
          }
          data={chartRanges.map((each) => ({ value: each, label: words.charts.ranges[each] }))}
        />
      </div>
      <div className="three">
        {charts.map(({ title, lead, series }) => (
          <figure key={title} className="panel chart">
            <figcaption>
              <h3>{title}</h3>
              <p className="soft">{lead}</p>
            </figcaption>
            {known.length > 1 ? (
              <TimeChart label={title} atSeconds={atSeconds} series={series} />
            ) : (
              <p className="soft chart-room">{emptyWords()}</p>
            )}
          </figure>
        ))}
      </div>
    </section>
  );
}

function usePoints({ crawl, status, isRunning, range }: ChartsProps & { range: keyof typeof rangeSpans }): {
  points: ChartPoint[];
  isLoading: boolean;
} {
  const { rates } = useConnected();
  // Without a connection nobody knows what holds now.
  const isLive = useConnection().state === 'live';
  const now = useNow(isRunning && isLive ? 1_000 : undefined);
  const history = useHistory({ crawl, range, isRunning });
  const samples = rates.samplesOf(crawl);
  // The last point is what the rest of the screen says. What did not change was not told again: it still holds.
  const last = status && isLive ? sampleOf(status, now) : undefined;
  const live = last && isRunning ? [...samples.filter(({ atMs }) => atMs < now), last] : samples;
  const span = rangeSpans[range];
  const sinceMs = span === undefined ? undefined : now - span;
  return {
    points: chartPoints({ history: history ?? [], live, sinceMs }),
    isLoading: history === undefined,
  };
}

const column = (points: readonly ChartPoint[], name: Exclude<keyof ChartPoint, 'atMs'>): (number | null)[] =>
  points.map((point) => point[name]);
