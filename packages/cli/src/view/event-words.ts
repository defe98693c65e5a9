import type { WebfarerEvent } from '@webfarer/protocol';
import { plural } from '../terminal/format.ts';
import { reasonName } from './wording.ts';

/** What happened, in words. `isTrouble`: worth a line even where a person wants few. */
export interface EventWords {
  text: string;
  isTrouble: boolean;
}

/** An event in a line for a person. `nameOf` knows what a crawl is called. */
export function eventWords(event: WebfarerEvent, nameOf: (crawl: string) => string): EventWords {
  switch (event.type) {
    case 'crawl-state':
      return news(`${event.name}: ${event.state}`);
    case 'crawl-failed':
      return trouble(`! ${event.name}: ${event.message}${event.next ? ` ${event.next}` : ''}`);
    case 'crawl-paused':
      return trouble(`${nameOf(event.crawl)} waits: ${event.pause.text}${timesWords(event)}`);
    case 'crawl-resumed':
      return news(`${nameOf(event.crawl)}: resumed`);
    case 'crawl-stalled':
      return news(`${nameOf(event.crawl)} waits: ${event.stall.text}${timesWords(event)}`);
    case 'crawl-moving':
      return news(`${nameOf(event.crawl)}: makes progress again`);
    case 'cookies-left-out':
      return trouble(
        `${nameOf(event.crawl)}: ${plural(event.count, 'cookie')} not kept, the last of ${event.host}: there is no room for more`,
      );
    case 'worker-joined':
      return news(`worker ${event.worker} connected from ${event.address}`);
    case 'worker-left':
      return news(`worker ${event.worker} disconnected: ${event.reason}`);
    case 'worker-refused':
      return trouble(`! connection from ${event.address} rejected: ${event.reason}`);
    case 'worker-unable':
      return trouble(`! worker ${event.worker} cannot work on ${event.name}: ${event.message}`);
    case 'worker-blocked':
      return trouble(`! worker ${event.worker}: ${event.text}`);
    case 'coordinators-changed':
      return news(`coordinators: ${event.ids.join(', ')}`);
    case 'coordinator-started':
      return news(`coordinator ${event.id} listens on ${event.url}`);
    case 'coordinator-stopped':
      return news(`coordinator ${event.id} stopped`);
    case 'schedule-run':
      return news(`schedule ${event.schedule} started ${event.name}`);
    case 'schedule-failed':
      return trouble(`! schedule ${event.schedule} could not run: ${event.message} ${event.next}`);
    case 'schedule-skipped':
      return trouble(`! schedule ${event.schedule}: ${event.count} due without a run (${event.why})`);
    case 'clock-jumped':
      return trouble(`! the clock was set, or this machine slept: ${signedSeconds(event.byMs)}`);
    case 'clock-differs':
      if (event.byMs === 0) return news('the clock agrees with that of the store again');
      return trouble(`! the clock differs from that of the store: ${signedSeconds(event.byMs)}`);
    case 'record': {
      const { verdict, reason, status, url } = event.record;
      const isStatus = status !== undefined && (reason === 'ok' || reason.startsWith('http-'));
      return news(`${verdict} ${isStatus ? status : reasonName(reason)} ${url}`);
    }
    default:
      return news(fieldsOf(event));
  }
}

const news = (text: string): EventWords => ({ text, isTrouble: false });
const trouble = (text: string): EventWords => ({ text, isTrouble: true });

const signedSeconds = (ms: number) => `${ms < 0 ? '-' : '+'}${Math.round(Math.abs(ms) / 1_000)} s`;

/** `session-lost id=3`: for what is rare, as the log has it. */
function fieldsOf({ type, ...fields }: WebfarerEvent): string {
  const shown = Object.entries(fields)
    .filter(([name]) => name !== 'at' && name !== 'level' && name !== 'crawl')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return [type, ...shown].join(' ');
}

/** Where something comes and goes, one event counts it. */
function timesWords({ times }: { times: number }): string {
  return times > 1 ? ` (${times} times)` : '';
}
