import type { Coordinator } from '@webfarer/coordinator';
import type { EventType, WebfarerEvent } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { shellWords } from '../context/command-line.ts';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';
import { clean } from '../terminal/text.ts';
import { eventWords } from '../view/event-words.ts';

/** What a person hears of a coordinator that has no crawl in the foreground: a line for whatever changes its work. */
const told = [
  'crawl-state',
  'crawl-failed',
  'crawl-paused',
  'crawl-resumed',
  'cookies-left-out',
  'schedule-run',
  'schedule-failed',
  'schedule-skipped',
  'clock-jumped',
  'clock-differs',
  'worker-joined',
  'worker-left',
  'worker-refused',
  'worker-unable',
  'worker-blocked',
  'coordinators-changed',
] as const satisfies readonly EventType[];

const over: ReadonlySet<string> = new Set(['finished', 'limited', 'stopped']);

/** Tells what happens at a coordinator until the answer is called. */
export function watchCoordinator(
  { terminal, cwd, launcher }: Pick<CliContext, 'terminal' | 'cwd' | 'launcher'>,
  { events, crawls }: Pick<Coordinator, 'events' | 'crawls'>,
  { json, quiet }: { json: boolean; quiet: boolean },
): () => void {
  const crawlOf = (id: string) => crawls().find((crawl) => crawl.id === id);
  const nameOf = (id: string) => crawlOf(id)?.name ?? id;

  /** Once it is over, where to look. */
  function place(event: WebfarerEvent): string {
    if (event.type !== 'crawl-state' || !over.has(event.state)) return '';
    const crawl = crawlOf(event.crawl);
    if (!crawl) return '';
    return `   look:  ${launcher} report ${shellWords([shownPath(crawl.folder, cwd)])}`;
  }

  return events.listen(told, (event: WebfarerEvent) => {
    if (json) return terminal.out(jsonLine(event));
    const { text, isTrouble } = eventWords(event, nameOf);
    if (isTrouble || !quiet) terminal.out(`  ${clean(text)}${place(event)}\n`);
  });
}
