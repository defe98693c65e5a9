import { Link } from '@tanstack/react-router';
import { WebfarerError } from '@webfarer/protocol';
import type { ShownComparedPage, ShownComparison } from '@webfarer/protocol/api';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import { CutUrl } from '../parts/cut-url.tsx';
import { dataText } from '../text/data-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { exportName, ExportRows } from '../urls/export-menu.tsx';
import { exportRows } from '../urls/export-urls.ts';
import { openUrlList } from '../urls/url-list.ts';
import type { ChangeKind } from './data-search.ts';
import { ListTable } from './list-table.tsx';
import { pagesOf } from './use-comparison.ts';

interface CompareListProps {
  crawl: string;
  comparison: ShownComparison;
  change: ChangeKind;
  total: number;
  /** Makes the comparison anew. */
  again: () => void;
  /** Nothing of the list can be read any more. */
  lost: () => void;
}

const csvColumns = ['url', 'title', 'status', 'statusBefore', 'why'] as const;

/** The pages behind one of the figures. */
export function CompareList({ crawl, comparison, change, total, again, lost }: CompareListProps) {
  const { compare: words, items } = useTextOf(dataText);
  const { client } = useConnected();
  const { id, with: other } = comparison;
  const fetchPage = useMemo(
    () => pagesOf(client, { crawl, other: other.id, id, change }),
    [client, crawl, other.id, id, change],
  );
  const list = useMemo(
    () =>
      openUrlList<ShownComparedPage>({
        async fetchPage(after, signal) {
          try {
            return await fetchPage(after, signal);
          } catch (error) {
            if (!(error instanceof WebfarerError) || error.code !== 'cursor-stale') throw error;
            // Rows that a person reads stay where they are.
            if (after === '') lost();
            throw new WebfarerError('cursor-stale', words.forgotten);
          }
        },
      }),
    [fetchPage, lost, words],
  );
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  useSyncExternalStore(list.subscribe, list.state);
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
      <ListTable
        list={list}
        label={words.kinds[change]}
        words={{ ...items, end: words.end, looking: () => items.loading }}
        total={total}
        anew={{ label: words.again, run: again }}
        rowClass="compare-row"
        heads={
          <>
            <span role="columnheader">{words.url}</span>
            <span role="columnheader">{hasWhy ? words.why : words.pageTitle}</span>
            <span role="columnheader" className="num">
              {words.status}
            </span>
          </>
        }
        cells={(page) => (
          // What is gone is known to the crawl that had it.
          <Cells page={page} crawl={change === 'gone' ? other.name : crawl} hasWhy={hasWhy} />
        )}
      />
    </>
  );
}

function Cells({ page, crawl, hasWhy }: { page: ShownComparedPage; crawl: string; hasWhy: boolean }) {
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
