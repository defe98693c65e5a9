import type { Clock } from '@webfarer/protocol';
import type { Fleet } from './fleet.ts';

type Seen = Pick<Fleet, 'workers' | 'coordinators' | 'cordons'>;

/** The workers of this coordinator with what operators decided about them, as the API answers them. */
export function shownWorkers({ workers, cordons }: Seen) {
  return workers().map(({ cordoned: _cordoned, ...one }) => ({
    ...one,
    cordon: cordons.stateOf('worker-rule', one.worker),
  }));
}

/** All coordinators of the network. */
export function shownCoordinators({ coordinators, cordons }: Seen) {
  return coordinators().map(({ id, url, capacity, workers, hosts, wants, leaving }) => {
    const cordon = cordons.stateOf('coordinator-rule', id);
    return { id, url, cordon, capacity, workers, hosts, wants, leaving };
  });
}

/** The same by id, for those who follow them: what changes by itself with every second is told as the moment since when it holds. */
export function fleetLists(
  fleet: Seen,
  clock: Clock,
): Record<string, () => Promise<ReadonlyMap<string, unknown>>> {
  const moment = (agoMs: number) => Math.round((clock.now() - agoMs) / 1_000) * 1_000;
  return {
    workers: async () =>
      new Map(
        shownWorkers(fleet).map(({ linkedMs, ...one }) => [
          one.worker,
          { ...one, connectedAtMs: moment(linkedMs) },
        ]),
      ),
    coordinators: async () => new Map(shownCoordinators(fleet).map((one) => [one.id, one])),
  };
}
