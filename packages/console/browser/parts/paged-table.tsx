import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.tsx';
import { EmptyState, Failure } from './notices.tsx';
import '../style/schedules.css';

/** Of one look at the list. */
const pageSize = 50;

interface PagedTableProps<Item> {
  /** What its pages are kept under. */
  name: string;
  fetchPage(query: { after: string; limit: number }): Promise<{ items: Item[]; next?: string | undefined }>;
  /** Undefined: it is read once. */
  againMs?: number;
  words: { title: string; none: string; noneLead: string; more: string };
  heads: readonly string[];
  row(item: Item): ReactNode;
}

/** A list of what people made, read page by page on request. */
export function PagedTable<Item>(props: PagedTableProps<Item>) {
  const { name, fetchPage, againMs, words, heads, row } = props;
  const { loading } = useText();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [name],
    initialPageParam: '',
    queryFn: ({ pageParam: after }) => fetchPage({ after, limit: pageSize }),
    getNextPageParam: ({ next }) => next,
    refetchInterval: againMs ?? false,
    retry: false,
  });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <p className="soft">{loading}</p>;
  const all = data.pages.flatMap(({ items }) => items);
  if (all.length === 0)
    return (
      <EmptyState title={words.none}>
        <p>{words.noneLead}</p>
      </EmptyState>
    );
  return (
    <section className="panel part">
      <div className="scroll" tabIndex={0} role="group" aria-label={words.title}>
        <table className="schedules">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>{all.map(row)}</tbody>
        </table>
      </div>
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      ) : null}
    </section>
  );
}
