import type { Clock } from '@webfarer/protocol';
import { type Forecast, forecastEmpty, isSeen } from '@webfarer/protocol/resources';
import type { Machine, MachineFrame, ResourceMonitor } from './resource-monitor.ts';

/** When the memory of a machine would be full, by what was seen of the last day. */
export interface MemoryOutlook {
  /** Enough was seen to say anything. */
  seen: boolean;
  /** Absent: nothing points to a full memory. */
  full?: Forecast;
}

/** A trend of hours is the same a minute later. */
const FRESH_MS = 60_000;

/**
 * What machines use, by name, for whoever follows it. This coordinator's own has an outlook with it: behind a proxy a request for its
 * history may reach another coordinator, which does not have it.
 */
export function machineDocuments(
  own: Machine,
  monitor: Pick<ResourceMonitor, 'now' | 'history'>,
  clock: Clock,
): () => Map<string, MachineFrame & { outlook?: MemoryOutlook }> {
  let known: { outlook: MemoryOutlook; atMs: number } | undefined;

  function outlook({ frame }: MachineFrame): MemoryOutlook {
    if (known && clock.now() - known.atMs < FRESH_MS) return known.outlook;
    const { atMs, series } = monitor.history(own, { resolution: '30s', sinceMs: 0 });
    const full = forecastEmpty(atMs, series.availableBytes, frame.memory.totalBytes);
    known = { outlook: { seen: isSeen(atMs), ...(full ? { full } : {}) }, atMs: clock.now() };
    return known.outlook;
  }

  return () =>
    new Map(
      monitor.now().map((one) => {
        const isOwn = one.kind === own.kind && one.id === own.id;
        return [`${one.kind} ${one.id}`, isOwn ? { ...one, outlook: outlook(one) } : one];
      }),
    );
}
