import type { Clock } from '@webfarer/protocol';
import type { ResourceFrame, ResourceProbe } from '@webfarer/protocol/resources';
import type { WorkerLink } from './worker-link.ts';

export interface ResourceTellerOptions {
  clock: Clock;
  way: Pick<WorkerLink, 'resourcesEveryMs' | 'tellResources'>;
  /** Opened when a coordinator first asks for it. */
  openProbe: () => ResourceProbe;
  /** What only the worker knows. */
  about: () => Pick<ResourceFrame, 'downloads' | 'queues'>;
  signal: AbortSignal;
}

/** How soon a coordinator that was not there, or did not ask, is looked for again. */
const IDLE_MS = 1_000;

/** Tells the coordinator what this machine uses, as often as that one asks for it, until the signal says to end. */
export async function tellResources(options: ResourceTellerOptions): Promise<void> {
  const { clock, way, signal } = options;
  let probe: ResourceProbe | undefined;
  while (!signal.aborted) {
    await clock.sleep(way.resourcesEveryMs() ?? IDLE_MS, signal).catch(() => undefined);
    if (signal.aborted || way.resourcesEveryMs() === undefined) continue;
    probe ??= options.openProbe();
    way.tellResources({ ...probe.look(), ...options.about() });
  }
  probe?.stop();
}
