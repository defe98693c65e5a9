import { eventCatalogue, type EventMeaning } from '@webfarer/protocol/crawl';
import { code, generated, table } from './markdown.ts';

/** Every event: in the log, in `--json` and in the library. */
export function eventsPage(): string {
  const all = Object.entries<EventMeaning>(eventCatalogue);
  const rows = (wanted: (level: string) => boolean) =>
    table(
      ['type', 'level', 'meaning', 'fields'],
      all
        .filter(([, { level }]) => wanted(level))
        .map(([type, { level, meaning, fields }]) => [
          code(type),
          level,
          meaning,
          Object.entries(fields)
            .map(([field, what]) => `${code(field)}: ${what}`)
            .join('; '),
        ]),
    );
  return [
    generated,
    '# Events',
    'A coordinator writes `events.jsonl` into its `--data` folder, a worker into its `--out` folder: one JSON object per line. When the file reaches 16 MB it becomes `events.1.jsonl`, which replaces the one before. `coordinator`, `worker`, `crawl` and `run` also write a log of their own where `--log-file` says (`-` is stderr), as JSON lines or with `--log-format text` as `time level type field=value …`, from `--log-level` on, and with `--log-crawl` and `--log-host` without the events of other crawls and hosts; events that name no crawl or host stay. A file that reaches `--log-size` becomes `NAME.1.EXT`, and `--log-keep` of those are kept. Passwords in addresses are masked in every log. `crawl --json` prints the events of its crawl to stdout, and the library hands them to `for await (const event of run)`.',
    'Every event has a `type` and the fields below. Lines also have `at` (UTC) and `level`: `warn` recovers without help, after `error` the process exits. The tables are complete.',
    '## In the log',
    rows((level) => level !== 'debug'),
    '## Only in `--json` and the library',
    'These happen with every page or host, so the log leaves them out.',
    rows((level) => level === 'debug'),
  ]
    .join('\n\n')
    .concat('\n');
}
