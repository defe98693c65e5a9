import { WebfarerError } from '@webfarer/protocol';
import type { resourceRoutes } from '@webfarer/protocol/api';
import type { HistoryAnswer, HistoryQuestion } from '@webfarer/protocol/resources';
import type { Machine } from '../../resources/resource-monitor.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** What machines use, now and lately. */
export function resourceHandlers({ fleet }: ApiParts): HandlersOf<typeof resourceRoutes> {
  const { monitor, profiler } = fleet;

  function history(machine: Machine, question: HistoryQuestion): HistoryAnswer {
    if (monitor.knows(machine)) return monitor.history(machine, question);
    throw new WebfarerError(
      'not-found',
      `this coordinator knows nothing of the ${machine.kind} ${machine.id}`,
      {
        next: 'GET /v1/resources lists the machines it knows. Ask another coordinator about its own workers.',
      },
    );
  }

  return {
    profileCoordinator: ({ query, signal }) =>
      profiler.profile({ ms: query.seconds * 1_000, top: query.top, signal }),
    getResources: () => ({ machines: monitor.now() }),
    getWorkerResources: ({ params, query }) => history({ kind: 'worker', id: params.worker }, query),
    getCoordinatorResources: ({ params, query }) =>
      history({ kind: 'coordinator', id: params.coordinator }, query),
  };
}
