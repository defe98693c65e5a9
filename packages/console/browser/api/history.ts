import { useQuery } from '@tanstack/react-query';
import type { CountSample } from '@webfarer/protocol/api';
import { useConnected } from './connected.tsx';

/** How far back charts go; undefined: to the beginning of the crawl. */
export const rangeSpans = { '15m': 15 * 60_000, '6h': 6 * 3_600_000, all: undefined } as const;
export type ChartRange = keyof typeof rangeSpans;
export const chartRanges = Object.keys(rangeSpans) as ChartRange[];

/** What was recorded while this browser did not look is fetched again so often. */
const againMs = 60_000;
const none: readonly CountSample[] = [];

export interface HistoryAsked {
  crawl: string;
  range: ChartRange;
  isRunning: boolean;
}

/** How the counts of a crawl went, as coordinators recorded it. Undefined: not told yet. */
export function useHistory({ crawl, range, isRunning }: HistoryAsked): readonly CountSample[] | undefined {
  const { client } = useConnected();
  const { data, isError } = useQuery({
    // Another state: the last sample of the one before has come.
    queryKey: ['history', crawl, range, isRunning],
    queryFn: async () => {
      const span = rangeSpans[range];
      const sinceMs = span === undefined ? 0 : Date.now() - span;
      return (await client.getHistory({ params: { crawl }, query: { sinceMs } })).items;
    },
    placeholderData: (before) => before,
    ...(isRunning ? { refetchInterval: againMs } : {}),
  });
  return isError ? none : data;
}
