import { type WorkerId, WebfarerError } from '@webfarer/protocol';
import type { WorkerRules } from '../link/worker-rules.ts';
import type { CordonState } from './cordon-state.ts';
import type { Registry, RegistryDoc, RegistryKind } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';

/** A document of the registry: what an operator decided about a worker or a coordinator. */
interface Cordon {
  state: Exclude<CordonState, 'active'>;
  /** Whose token it was. */
  by: string;
}

/** Which of the two a cordon is about. */
export type CordonKind = Extract<RegistryKind, 'worker-rule' | 'coordinator-rule'>;

export interface CordonsOptions {
  /** Of this coordinator. */
  id: string;
  registry: Registry;
  watch: RegistryWatch;
  /** A worker was cordoned, drained or let go; it may not be one of this coordinator. */
  workerChanged: (worker: WorkerId, state: CordonState) => void;
  /** This coordinator was. */
  changed: (state: CordonState) => void;
}

/** The cordons of the whole network, followed by every coordinator. */
export interface Cordons extends WorkerRules {
  stateOf(kind: CordonKind, id: string): CordonState;
  /** In force here when it resolves, everywhere else within 5 s. */
  set(kind: CordonKind, id: string, decided: { state: CordonState; by: string }): Promise<void>;
}

/** Somebody else changes the same cordon at the same moment, again and again. */
const MOST_TRIES = 10;

export async function openCordons(options: CordonsOptions): Promise<Cordons> {
  const { id, registry, watch } = options;
  const workers = await watch.follow<Cordon>('worker-rule', (ids) => {
    for (const worker of ids as WorkerId[]) options.workerChanged(worker, stateOf('worker-rule', worker));
  });
  const coordinators = await watch.follow<Cordon>('coordinator-rule', (ids) => {
    if (ids.includes(id)) options.changed(stateOf('coordinator-rule', id));
  });

  function stateOf(kind: CordonKind, of: string): CordonState {
    const { docs } = kind === 'worker-rule' ? workers : coordinators;
    return docs.get(of)?.value.state ?? 'active';
  }

  async function write(
    doc: RegistryDoc | undefined,
    to: { kind: CordonKind; id: string; value: Cordon | undefined },
  ) {
    if (to.value) return await registry.put(to.kind, to.id, doc?.version ?? 0, to.value);
    return doc && (await registry.remove(to.kind, to.id, doc.version));
  }

  options.changed(stateOf('coordinator-rule', id));
  return {
    stateOf,
    isCordoned: (worker) => workers.docs.size > 0 && workers.docs.has(worker),
    isDraining: (worker) => stateOf('worker-rule', worker) === 'draining',
    closed() {
      const state = coordinators.docs.size > 0 ? stateOf('coordinator-rule', id) : 'active';
      return state === 'active' ? undefined : `the coordinator is ${state} and takes no workers`;
    },
    async set(kind, of, { state, by }) {
      const value = state === 'active' ? undefined : { state, by };
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const answer = await write(await registry.get(kind, of), { kind, id: of, value });
        if (answer?.kind === 'stale') continue;
        return await watch.look();
      }
      throw new WebfarerError('store-silent', `the cordon of ${of} was changed by others at the same time`, {
        next: 'Try again.',
      });
    },
  };
}
