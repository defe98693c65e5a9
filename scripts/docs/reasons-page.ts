import { errorCodes } from '@webfarer/protocol';
import {
  doneReasons,
  droppedReasons,
  failedReasons,
  refusedReasons,
  stallCauses,
  waitReasons,
} from '@webfarer/protocol/crawl';
import { code, generated, table } from './markdown.ts';

/** The closed tables: why a URL ended as it did, why a link was not queued, what errors there are. */
export function reasonsPage(): string {
  return [
    generated,
    '# Reasons and errors',
    'Every URL that a crawl knows ends with one of these reasons; `webfarer explain URL` says which, and what decided.',
    '## done',
    'An HTTP answer was recorded.',
    reasons(doneReasons),
    '## failed',
    'It did not work out, and tries are used up. `webfarer retry` brings such URLs back.',
    reasons(failedReasons),
    '## refused',
    'It was decided not to fetch or not to keep it.',
    reasons(refusedReasons),
    '## Links that were not queued',
    'They are counted by reason and never enter the balance.',
    reasons(droppedReasons),
    '## Why a host waits',
    reasons(waitReasons),
    '## Why a crawl makes no progress',
    'The live view, `status`, the event `stalled` and `/ready` name one of these. While one without "yes" lasts, a coordinator cannot acknowledge everything that workers report, and `/ready/acknowledges` answers 503.',
    table(
      ['cause', 'acknowledges', 'meaning'],
      Object.entries(stallCauses).map(([name, { acknowledges, meaning }]) => [
        code(name),
        acknowledges ? 'yes' : '',
        meaning,
      ]),
    ),
    '## Errors',
    'What a command or call can end with. `exit` is the exit code in the shell, `status` that of the API.',
    table(
      ['code', 'exit', 'status', 'retry helps', 'meaning'],
      Object.entries(errorCodes).map(([name, { exit, status, retryable, meaning }]) => [
        code(name),
        String(exit),
        String(status),
        retryable ? 'yes' : '',
        meaning,
      ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function reasons(of: Readonly<Record<string, string>>): string {
  return table(
    ['reason', 'meaning'],
    Object.entries(of).map(([name, meaning]) => [code(name), meaning]),
  );
}
