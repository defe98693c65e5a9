import { type EventMeaning, eventCatalogue } from '../../packages/cli/src/network/event-catalogue.ts';
import { code, generated, table } from './markdown.ts';

/** Everything that a coordinator or a worker writes to its log. */
export function eventsPage(): string {
  return [
    generated,
    '# Events',
    'A coordinator writes `events.jsonl` into its `--data` folder, a worker into its `--out` folder: one JSON object a line. Each has `at` (the time, UTC), `event`, `level` (`info`, `warn`: it goes on by itself, `error`: the process ends) and the fields below. There are no other events. A file that reaches 16 MB becomes `events.1.jsonl`.',
    table(
      ['event', 'level', 'meaning', 'fields'],
      Object.entries<EventMeaning>(eventCatalogue).map(([name, { level, meaning, fields }]) => [
        code(name),
        level,
        meaning,
        Object.entries(fields)
          .map(([field, what]) => `${code(field)} ${what}`)
          .join('; '),
      ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
