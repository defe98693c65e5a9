import type { workerRoutes } from '@webfarer/protocol/api';
import type { CordonState } from '../../network/cordon-state.ts';
import type { CordonKind } from '../../network/cordons.ts';
import { shownCoordinators, shownWorkers } from '../../network/fleet-documents.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';

/** The coordinators of the network and the workers of this one, and what operators decide about them. */
export function workerHandlers({ fleet }: ApiParts): HandlersOf<typeof workerRoutes> {
  const { cordons } = fleet;

  /** Also of one that is not connected now: it holds when it comes. */
  async function decide(kind: CordonKind, id: string, { state, by }: { state: CordonState; by: Principal }) {
    await cordons.set(kind, id, { state, by: by.id });
    return { id, cordon: state };
  }

  const worker =
    (state: CordonState) =>
    ({ params, principal }: { params: { worker: string }; principal: Principal }) =>
      decide('worker-rule', params.worker, { state, by: principal });
  const coordinator =
    (state: CordonState) =>
    ({ params, principal }: { params: { coordinator: string }; principal: Principal }) =>
      decide('coordinator-rule', params.coordinator, { state, by: principal });

  return {
    listWorkers: () => ({ items: shownWorkers(fleet) }),
    listCoordinators: () => ({ items: shownCoordinators(fleet) }),
    cordonWorker: worker('cordoned'),
    uncordonWorker: worker('active'),
    drainWorker: worker('draining'),
    cordonCoordinator: coordinator('cordoned'),
    uncordonCoordinator: coordinator('active'),
    drainCoordinator: coordinator('draining'),
  };
}
