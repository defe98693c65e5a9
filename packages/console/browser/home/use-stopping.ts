import { useQuery } from '@tanstack/react-query';
import type { EachDone, StoppableCrawl, StopProgress } from './stop-crawls.ts';

/** How far stopping all crawls has come, or resuming those that ran. */
export type Stopping =
  | { kind: 'stopping'; so: StopProgress; all: number; running: number }
  | { kind: 'stopped'; came: EachDone<StoppableCrawl> }
  | { kind: 'resuming'; done: number; all: number }
  | { kind: 'resumed'; came: EachDone<StoppableCrawl> };

export const stoppingKey = ['stop-all'];

/** Kept beside the screen, because it goes on while a person looks elsewhere. */
export function useStopping(): Stopping | undefined {
  const { data } = useQuery<Stopping | null>({
    queryKey: stoppingKey,
    queryFn: () => null,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? undefined;
}
