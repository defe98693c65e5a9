import { useInfiniteQuery } from '@tanstack/react-query';

interface Page<T> {
  items: T[];
  next?: string | undefined;
}

/** A list that is read page by page, as its reader asks for more. */
export function usePages<T>(
  key: readonly string[],
  read: (after: string) => Promise<Page<T>>,
  refetchInterval: number | false = 30_000,
) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: '',
    getNextPageParam: (last: Page<T>) => last.next,
    refetchInterval,
  });
  return {
    items: data?.pages.flatMap(({ items }) => items),
    error,
    more: hasNextPage ? { isReading: isFetchingNextPage, read: () => void fetchNextPage() } : undefined,
  };
}
