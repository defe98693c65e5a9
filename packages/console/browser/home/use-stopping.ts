import { useQuery } from '@tanstack/react-query';
import type { EachDone, StoppableCrawl, StopProgress } from './stop-crawls.ts';

/** How far stopping all crawls has come, or resuming those that ran. */
export type Stopping =
  | { kind: 'stopping'; so: StopProgress; all: number; running: number }
  | { kind: 'stopped'; came: EachDone<StoppableCrawl> }
  | { kind: 'resuming'; done: number; all: number }
  | { kind: 'resumed'; came: EachDone<StoppableCrawl> };

export const stoppingKey = ['stop-all'];

const about = {
  queryKey: stoppingKey,
  queryFn: () => null,
  enabled: false,
  gcTime: Number.POSITIVE_INFINITY,
};

/** Kept beside the screen, because it goes on while a person looks elsewhere. */
export function useStopping(): Stopping | undefined {
  return useQuery<Stopping | null>(about).data ?? undefined;
}

/** Whether there is anything to say of it: the list of crawls is not drawn again at every step. */
export function useIsStopping(): boolean {
  return useQuery({ ...about, select: (so: Stopping | null) => so !== null }).data ?? false;
}
