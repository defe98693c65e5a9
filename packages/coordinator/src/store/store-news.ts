import type { Clock, Pause } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { createFlapNews } from '../events/flap-news.ts';
import type { StoreWatch } from '../redis/store-watch.ts';

/** Says in the log what is wrong with the store, also while no crawl runs. Answers how to stop. */
export function publishStoreNews(
  watch: Pick<StoreWatch, 'onChange'> | undefined,
  events: EventBus,
  clock: Clock,
): () => void {
  const news = createFlapNews<Pause>({
    clock,
    causeOf: ({ cause }) => cause,
    began: ({ cause, text }, times) => void events.publish({ type: 'store-trouble', cause, text, times }),
    ended: () => void events.publish({ type: 'store-answers' }),
  });
  const unlisten = watch?.onChange((trouble) => news.changed(trouble));
  return () => {
    unlisten?.();
    news.close();
  };
}
