import { useInfiniteQuery } from '@tanstack/react-query';

interface Page {
  items: unknown[];
  next?: string | undefined;
}

/** A list that is read page by page, as its reader asks for more. */
export function usePages<P extends Page>(
  key: readonly string[],
  read: (after: string) => Promise<P>,
  refetchInterval: number | false = 30_000,
) {
  const { data, error, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: key,
      queryFn: ({ pageParam }) => read(pageParam),
      initialPageParam: '',
      getNextPageParam: (last: P) => last.next,
      refetchInterval,
    });
  return {
    items: data?.pages.flatMap(({ items }) => items as P['items'][number][]),
    pages: data?.pages,
    isFetching,
    again: () => void refetch(),
    error,
    more: hasNextPage ? { isReading: isFetchingNextPage, read: () => void fetchNextPage() } : undefined,
  };
}
