import type { Coordinator } from '@webfarer/coordinator';
import type { EventOf, EventType, WebfarerEvent } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../context/context.ts';
import { clean } from '../terminal/text.ts';

/** What a person hears of a coordinator that has no crawl in the foreground: a line for whatever changes its work. */
const told = [
  'crawl-state',
  'crawl-failed',
  'crawl-paused',
  'crawl-resumed',
  'worker-joined',
  'worker-left',
  'worker-refused',
  'worker-unable',
  'coordinators-changed',
] as const satisfies readonly EventType[];
type Told = EventOf<(typeof told)[number]>;

/** Tells what happens at a coordinator until the answer is called. */
export function watchCoordinator(
  { terminal }: Pick<CliContext, 'terminal'>,
  { events, crawls }: Pick<Coordinator, 'events' | 'crawls'>,
  { json, quiet }: { json: boolean; quiet: boolean },
): () => void {
  const nameOf = (id: string) => crawls().find((crawl) => crawl.id === id)?.name ?? id;
  return events.listen(told, (event: WebfarerEvent) => {
    if (json) return terminal.out(jsonLine(event));
    const { text, isTrouble } = lineOf(event as Told, nameOf);
    if (isTrouble || !quiet) terminal.out(`  ${clean(text)}\n`);
  });
}

function lineOf(event: Told, nameOf: (crawl: string) => string): { text: string; isTrouble: boolean } {
  switch (event.type) {
    case 'crawl-state':
      return { text: `${event.name}: ${event.state}`, isTrouble: false };
    case 'crawl-failed':
      return { text: `! ${event.name}: ${event.message}`, isTrouble: true };
    case 'crawl-paused':
      return { text: `${nameOf(event.crawl)} waits: ${event.pause.text}`, isTrouble: true };
    case 'crawl-resumed':
      return { text: `${nameOf(event.crawl)}: resumed`, isTrouble: false };
    case 'worker-joined':
      return { text: `worker ${event.worker} connected from ${event.address}`, isTrouble: false };
    case 'worker-left':
      return { text: `worker ${event.worker} disconnected: ${event.reason}`, isTrouble: false };
    case 'worker-refused':
      return { text: `! connection from ${event.address} rejected: ${event.reason}`, isTrouble: true };
    case 'worker-unable':
      return {
        text: `! worker ${event.worker} cannot work on ${event.name}: ${event.message}`,
        isTrouble: true,
      };
    case 'coordinators-changed':
      return { text: `coordinators of the store: ${event.ids.join(', ')}`, isTrouble: false };
  }
}
