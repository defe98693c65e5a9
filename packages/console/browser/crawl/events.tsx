import { useQuery } from '@tanstack/react-query';
import type { StallCause } from '@webfarer/protocol';
import type { LoggedEvent } from '@webfarer/protocol/api';
import { isCalm } from '@webfarer/protocol/numbers';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { type Cause, useCauseWords } from '../parts/problem-words.ts';
import type { LifeState } from '../parts/state-badge.tsx';
import { When } from '../parts/when.tsx';
import type { Text } from '../text/en.ts';
import { useText } from '../text/use-text.tsx';

/** Most of them are pauses that are left out. */
const mostRead = 300;
const mostShown = 50;
const everyMs = 3_000;

/** What happened to the crawl, newest first. The log is read, not followed: the stream would bring every single page. */
export function Events({ crawl, state }: { crawl: string; state: string }) {
  const text = useText();
  const { client } = useConnected();
  const causeWords = useCauseWords();
  const { data: events } = useQuery({
    queryKey: ['log', crawl, state],
    queryFn: () => latestOf(client, crawl),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  return (
    <section className="panel part" aria-labelledby="events">
      <h2 id="events">{text.crawl.events}</h2>
      {events?.length ? null : <p className="soft">{events ? text.crawl.eventsNone : text.loading}</p>}
      <ol className="events" tabIndex={(events?.length ?? 0) > 8 ? 0 : -1}>
        {events?.map((event, at) => (
          <li key={`${event.at} ${events.length - at}`} className={event.level}>
            <When atMs={Date.parse(event.at)} clock />
            <bdi>{wordsOf(event, text, (cause) => causeWords(cause).words)}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}

async function latestOf(client: Client, crawl: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const event of await client.readCrawlLog({ params: { crawl }, query: { limit: mostRead } }))
    events.push(event);
  return withoutPauses(events).slice(-mostShown).toReversed();
}

/** Polite waiting, and its end, happen all the time and are no news. */
function withoutPauses(events: readonly LoggedEvent[]): LoggedEvent[] {
  let isPolite = true;
  return events.filter(({ type, stall }) => {
    if (type === 'crawl-stalled') isPolite = isCalm((stall as { cause: StallCause }).cause);
    return !(isPolite && (type === 'crawl-stalled' || type === 'crawl-moving'));
  });
}

function wordsOf(event: LoggedEvent, text: Text, causeWords: (cause: Cause) => string): string {
  const { type, state, message, worker, host } = event as LoggedEvent & Record<string, unknown>;
  const cause = (event['pause'] ?? event['stall']) as Cause | undefined;
  const shown = typeof state === 'string' && state in text.states ? text.states[state as LifeState] : state;
  const about = [shown, message, cause && causeWords(cause), worker, host].filter(
    (part) => typeof part === 'string',
  );
  const words = text.events[type] ?? type;
  return about.length === 0 ? words : `${words}: ${about.join(', ')}`;
}
