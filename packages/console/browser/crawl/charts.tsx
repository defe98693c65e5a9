import { useConnected, useConnection } from '../api/connected.tsx';
import { type Sample, sampleOf } from '../api/rate-book.ts';
import type { CrawlStatus } from '../api/status.ts';
import { useNow } from '../parts/use-now.ts';
import { useText } from '../text/use-text.tsx';
import { type Series, TimeChart } from './time-chart.tsx';

interface ChartsProps {
  crawl: string;
  status: CrawlStatus | undefined;
  isRunning: boolean;
}

/** How the figures went since the page was opened: a coordinator tells how things stand, not how they stood. */
export function Charts({ crawl, status, isRunning }: ChartsProps) {
  const { crawl: words, balance } = useText();
  const { rates } = useConnected();
  // Without a connection nobody knows what holds now.
  const isLive = useConnection().state === 'live';
  const now = useNow(isRunning && isLive ? 1_000 : undefined);
  const samples = rates.samplesOf(crawl);
  // The last point is what the rest of the screen says. What did not change was not told again: it still holds.
  const last = status && isLive ? sampleOf(status, now) : undefined;
  const seen = last && isRunning ? [...samples.filter(({ atMs }) => atMs < now), last] : samples;
  const charts: { title: string; lead: string; series: Series[] }[] = [
    {
      title: words.charts.rate,
      lead: words.charts.since,
      series: [{ label: words.charts.rate, tone: 'accent', values: column(seen, 'pagesPerSecond') }],
    },
    {
      title: words.charts.outcomes,
      lead: words.charts.outcomesLead,
      series: [
        { label: balance.done, tone: 'done', values: column(seen, 'done') },
        { label: balance.refused, tone: 'refused', values: column(seen, 'refused') },
        { label: balance.failed, tone: 'failed', values: column(seen, 'failed') },
      ],
    },
    {
      title: words.charts.queue,
      lead: words.charts.queueLead,
      series: [{ label: balance.queued, tone: 'leased', values: column(seen, 'queued') }],
    },
  ];
  const atSeconds = seen.map(({ atMs }) => atMs / 1_000);
  return (
    <div className="three">
      {charts.map(({ title, lead, series }) => (
        <figure key={title} className="panel chart">
          <figcaption>
            <h2>{title}</h2>
            <p className="soft">{lead}</p>
          </figcaption>
          {seen.length > 1 ? (
            <TimeChart label={title} atSeconds={atSeconds} series={series} />
          ) : (
            <p className="soft chart-room">{isRunning ? words.charts.collecting : words.charts.idle}</p>
          )}
        </figure>
      ))}
    </div>
  );
}

const column = (samples: readonly Sample[], name: Exclude<keyof Sample, 'atMs'>): number[] =>
  samples.map((sample) => sample[name]);
