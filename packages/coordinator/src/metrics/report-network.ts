import type { Metrics } from '@webfarer/protocol/metrics';
import type { Neighbours } from '../network/neighbours.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** What is true of all coordinators of a store: one of them reports it. */
export function reportNetwork({
  metrics,
  neighbours,
  webhooks,
}: {
  metrics: Metrics;
  neighbours: Pick<Neighbours, 'reportsStore' | 'status'>;
  webhooks: Pick<Webhooks, 'all' | 'deliveries'>;
}): void {
  metrics.collect((sample) => {
    if (!neighbours.reportsStore()) return;
    const messages = webhooks.all().flatMap(({ id }) => webhooks.deliveries(id));
    for (const state of ['pending', 'dead'])
      sample('webfarer_webhook_messages', { state }, messages.filter((one) => one.state === state).length);
    sample('webfarer_coordinators', {}, Math.max(1, neighbours.status().length));
  });
}
