import type { StoreWatch } from '../redis/store-watch.ts';
import type { EventBus } from '../events/event-bus.ts';

/** Says in the log what is wrong with the store, also while no crawl runs. */
export function publishStoreNews(watch: StoreWatch | undefined, events: EventBus): void {
  watch?.onChange((trouble) =>
    events.publish(
      trouble
        ? { type: 'store-trouble', cause: trouble.cause, text: trouble.text }
        : { type: 'store-answers' },
    ),
  );
}
