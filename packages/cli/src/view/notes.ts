import type { CrawlEvent, EventsMissed, PageRecord, WaitReason } from '@webfarer/protocol';
import { waitReasons } from '@webfarer/protocol/crawl';
import { pauseLines, reasonName } from './wording.ts';
import { plural, timeOfDay } from '../terminal/format.ts';
import { clean, sentence, type Style } from '../terminal/text.ts';

export interface Note {
  style: Style;
  text: string;
}

export interface NoteContext {
  nowMs: number;
  done: number;
  /** Hosts with queued URLs. */
  hosts: number;
}

/** Shorter waits are everyday. With few hosts each of them holds up the crawl, so more of them are told. */
const worthTelling = { fewHosts: 3_000, manyHosts: 15_000 };
const fewHosts = 3;
const troubles: readonly WaitReason[] = ['retry-after', 'backoff', 'robots'];

/** What a person should hear about an event, if anything. */
export function noteFor(event: CrawlEvent | EventsMissed, context: NoteContext): Note | undefined {
  switch (event.type) {
    case 'host-waits':
      return hostWaits(event, context);
    case 'crawl-paused':
      return {
        style: 'warn',
        text: pauseLines(event.pause, context.done)
          .map((l) => l.trim())
          .join(' '),
      };
    case 'crawl-resumed':
      return { style: 'good', text: 'resumed' };
    case 'cookies-left-out':
      return {
        style: 'warn',
        text: `! ${plural(event.count, 'cookie')} not kept, the last of ${clean(event.host)}: there is no room for more`,
      };
    case 'worker-lost':
    case 'worker-blocked':
      return { style: 'warn', text: `! ${clean(event.text)}` };
    case 'record':
      return recordNote(event.record);
    // An unreadable robots.txt is told by the wait it causes.
    case 'robots':
    // The live view shows these for as long as they last.
    case 'crawl-stalled':
    case 'crawl-moving':
    case 'crawl-state':
    // The view ends with the error.
    case 'crawl-failed':
    // The counts on the screen come from snapshots, which miss nothing.
    case 'events-missed':
      return undefined;
  }
}

function hostWaits(
  event: Extract<CrawlEvent, { type: 'host-waits' }>,
  { nowMs, hosts }: NoteContext,
): Note | undefined {
  const least = hosts <= fewHosts ? worthTelling.fewHosts : worthTelling.manyHosts;
  if (event.why === 'login') return { style: 'warn', text: `! ${clean(event.detail ?? waitReasons.login)}` };
  if (event.forMs < least || !troubles.includes(event.why)) return undefined;
  const why = sentence(clean(event.detail ?? waitReasons[event.why]));
  const until = timeOfDay(nowMs + event.forMs, nowMs);
  return { style: 'warn', text: `! ${clean(event.host)}: ${why} The whole host waits until ${until}` };
}

/** Errors of the person's own scraper are theirs to see at once. */
function recordNote(record: PageRecord): Note | undefined {
  if (record.verdict !== 'failed') return undefined;
  if (record.reason !== 'handler' && record.reason !== 'handler-timeout' && record.reason !== 'item-invalid')
    return undefined;
  const detail = record.detail ? `: ${clean(record.detail)}` : '';
  return { style: 'bad', text: `! ${reasonName(record.reason)} at ${clean(record.url)}${detail}` };
}

export interface NoteLimiter {
  /** The note, or nothing while there are too many; a count of those held back comes with the next window. */
  pass(note: Note, nowMs: number): Note[];
}

/** At most `most` notes per window: a thousand hosts with trouble must not scroll everything away. */
export function createNoteLimiter(most = 6, windowMs = 10_000): NoteLimiter {
  let windowStart = Number.NEGATIVE_INFINITY;
  let passed = 0;
  let held = 0;
  return {
    pass(note, nowMs) {
      const out: Note[] = [];
      if (nowMs - windowStart >= windowMs) {
        if (held > 0) out.push({ style: 'quiet', text: `  and ${plural(held, 'more note')} like these` });
        windowStart = nowMs;
        passed = 0;
        held = 0;
      }
      if (passed < most) {
        passed++;
        out.push(note);
      } else held++;
      return out;
    },
  };
}
