import type { LinkEvent } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import type { LinkState } from '@webfarer/worker';
import type { OpenCrewOptions } from '../local/open-crew.ts';
import type { EventLog } from './event-log.ts';

/** Who came, who went, who was not let in. */
export function logLink(events: EventLog, event: LinkEvent): void {
  switch (event.type) {
    case 'joined':
      return events.log('worker-joined', {
        worker: event.worker,
        trust: event.trust,
        address: event.address,
      });
    case 'left':
      return events.log('worker-left', { worker: event.worker, reason: event.reason });
    case 'refused':
      return events.log('worker-refused', { address: event.address, reason: event.reason });
  }
}

/** What becomes of a crawl, for as long as it is open here. */
export function logCrawl(
  events: EventLog,
  { crawl, job, desk }: Pick<OpenCrewOptions, 'crawl' | 'job' | 'desk'>,
): void {
  const { name } = job;
  events.log('crawl-state', { crawl, name, state: desk.state });
  desk.listen((event) => {
    if (event.type === 'state') events.log('crawl-state', { crawl, name, state: event.state });
    if (event.type === 'paused')
      events.log('crawl-paused', { crawl, cause: event.pause.cause, text: event.pause.text });
    if (event.type === 'resumed') events.log('crawl-resumed', { crawl });
    if (event.type === 'stalled')
      events.log('crawl-stalled', {
        crawl,
        cause: event.stall.cause,
        host: event.stall.host ?? '',
        text: event.stall.text,
      });
    if (event.type === 'moving') events.log('crawl-moving', { crawl });
  });
}

/** A worker's link as it comes and goes. */
export function logState(events: EventLog, { connected, ...state }: LinkState): void {
  if (connected) events.log('link-up', { url: state.url ?? '', coordinator: state.coordinator ?? '' });
  else events.log('link-down', { reason: state.lastError ?? '', outbox: state.outbox });
}

export function logFailure(events: EventLog, error: unknown): void {
  const code = error instanceof WebfarerError ? error.code : 'internal';
  events.log('failed', { code, message: error instanceof Error ? error.message : String(error) });
}
