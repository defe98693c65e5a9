import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';
import type { UrlList } from './url-list.ts';
import { usePlace } from './use-place.ts';

/** The rows of a long list that are in sight. The list behind them is read on while a person scrolls. */
export function useListRows(
  list: Pick<UrlList<unknown>, 'show'>,
  count: number,
  room: RefObject<HTMLDivElement | null>,
) {
  const { top, height } = usePlace(room);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const shown = rows.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 40];
  useEffect(() => list.show(first, last), [list, first, last]);
  return { rows, shown, top, height };
}
