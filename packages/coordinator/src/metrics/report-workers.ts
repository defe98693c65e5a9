import { metricTable } from '@webfarer/protocol/metrics';
import type { ReportedParts } from './reported-parts.ts';

/** The workers of this coordinator, and what they hold. */
export function reportWorkers({ metrics, pool }: Pick<ReportedParts, 'metrics' | 'pool'>): void {
  metrics.collect((sample) => {
    const workers = pool.all();
    const pauses = workers.flatMap(({ look }) => (look?.pause ? [look.pause.cause] : []));
    sample('webfarer_workers', { state: 'connected' }, workers.length);
    sample('webfarer_workers', { state: 'paused' }, pauses.length);
    sample('webfarer_workers', { state: 'cordoned' }, workers.filter(({ cordoned }) => cordoned).length);
    for (const cause of metricTable.webfarer_workers_paused.labels.cause)
      sample('webfarer_workers_paused', { cause }, pauses.filter((one) => one === cause).length);
    sample('webfarer_leases', {}, pool.load().hosts);
  });
}
