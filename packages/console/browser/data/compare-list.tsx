import { Link } from '@tanstack/react-router';
import type { ShownComparedPage, ShownComparison } from '@webfarer/protocol/api';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import { CutUrl } from '../parts/cut-url.tsx';
import { Problem } from '../parts/notices.tsx';
import { dataText } from '../text/data-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { exportName, ExportRows } from '../urls/export-menu.tsx';
import { exportRows } from '../urls/export-urls.ts';
import { openUrlList } from '../urls/url-list.ts';
import { useListRows } from '../urls/use-list-rows.ts';
import type { ChangeKind } from './data-search.ts';

interface CompareListProps {
  crawl: string;
  comparison: ShownComparison;
  change: ChangeKind;
  total: number;
}

const csvColumns = ['url', 'title', 'status', 'statusBefore', 'why'] as const;

/** The pages behind one of the figures. */
export function CompareList({ crawl, comparison, change, total }: CompareListProps) {
  const { compare: words, items } = useTextOf(dataText);
  const { count } = useFormats();
  const { client } = useConnected();
  const { id, with: other } = comparison;
  const fetchPage = useMemo(
    () => async (after: string, signal: AbortSignal) => {
      const query = { with: other.id, id, change, after, limit: 500 };
      let answer = await client.compareCrawls({ params: { crawl }, query, signal });
      // Another coordinator may have been asked, which reads both crawls first.
      while (!answer.ready && !signal.aborted)
        answer = await client.compareCrawls({ params: { crawl }, query, signal });
      return { items: answer.items, next: answer.next, searched: answer.items.length };
    },
    [client, crawl, other.id, id, change],
  );
  const list = useMemo(() => openUrlList<ShownComparedPage>({ fetchPage }), [fetchPage]);
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  const { count: found, isWhole, error } = useSyncExternalStore(list.subscribe, list.state);
  const room = useRef<HTMLDivElement>(null);
  const { rows, shown, top, height } = useListRows(list, found, room);
  const hasWhy = change === 'gone' || change === 'unclear';

  if (total === 0) return <p className="soft compare-none">{words.none[change]}</p>;
  return (
    <>
      <div className="list-line">
        <p className="soft">{words.explain[change]}</p>
        <ExportRows
          name={exportName(crawl, change)}
          run={(options) =>
            exportRows<ShownComparedPage>(
              { ...options, fetchPage },
              { head: csvColumns, cells: (page) => csvColumns.map((column) => page[column]) },
            )
          }
        />
      </div>
      <div
        className="panel data-table"
        role="table"
        aria-label={words.kinds[change]}
        aria-rowcount={total + 1}
      >
        <div role="rowgroup" className="data-columns">
          <div role="row" aria-rowindex={1} className="data-row compare-row">
            <span role="columnheader">{words.url}</span>
            <span role="columnheader">{hasWhy ? words.why : words.pageTitle}</span>
            <span role="columnheader" className="num">
              {words.status}
            </span>
          </div>
        </div>
        <div ref={room} role="rowgroup" className="data-room" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              className="data-row compare-row"
              style={{ transform: `translateY(${start - top}px)`, height }}
            >
              <Cells
                page={list.row(index)}
                // What is gone is known to the crawl that had it.
                crawl={change === 'gone' ? other.name : crawl}
                hasWhy={hasWhy}
              />
            </div>
          ))}
        </div>
        <div role="rowgroup">
          <div role="row" className="urls-end">
            <span role="cell">
              {error === undefined ? null : <Problem error={error} />}
              {isWhole ? words.end(count(found)) : items.loading}
            </span>
          </div>
        </div>
      </div>
    </>
  );
}

function Cells({
  page,
  crawl,
  hasWhy,
}: {
  page: ShownComparedPage | undefined;
  crawl: string;
  hasWhy: boolean;
}) {
  const { items: words } = useTextOf(dataText);
  if (page === undefined)
    return (
      <span role="cell" className="soft">
        {words.loading}
      </span>
    );
  const { url, title = '', why = '', status, statusBefore } = page;
  const beside = hasWhy ? why : title;
  return (
    <>
      <span role="cell" className="url-cell">
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url }} preload={false}>
          <CutUrl url={url} />
        </Link>
      </span>
      <span role="cell" className="cell" title={beside}>
        <bdi>{beside}</bdi>
      </span>
      <span role="cell" className="num">
        {statusBefore !== undefined && status !== undefined && status !== statusBefore
          ? `${statusBefore} → `
          : ''}
        {status ?? statusBefore ?? ''}
      </span>
    </>
  );
}
