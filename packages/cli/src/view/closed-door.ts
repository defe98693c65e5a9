import type { FailedReason, RefusedReason } from '@webfarer/protocol';
import { failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import type { Summary } from '../crawl/crawl-run.ts';
import type { Ending } from '../crawl/ending.ts';
import type { Tally } from '../crawl/tally.ts';
import { plural } from '../terminal/format.ts';
import { clean } from '../terminal/text.ts';

export interface ClosedDoor {
  summary: Pick<Summary, 'balance' | 'snapshot'>;
  tally: Tally;
  typed: string;
  /** A job file was typed. */
  fromFile: boolean;
  launcher: string;
  /** The folder stays, with its failed URLs in it. */
  kept: boolean;
}

/** What to say when not one page could be read; undefined for every other ending. */
export function closedDoorLines(ending: Ending, door: ClosedDoor): string[] | undefined {
  if (ending === 'no-such-host') {
    return [`  ✗ ${clean(door.typed)}: no such host (DNS NXDOMAIN). Check the spelling; nothing was saved.`];
  }
  if (ending === 'nothing-allowed') return notAllowed(door);
  return ending === 'nothing-fetched' ? notFetched(door) : undefined;
}

function notAllowed({ summary, tally, typed, fromFile }: ClosedDoor): string[] {
  const { byReason } = summary.snapshot;
  if (byReason.robots) {
    const rule = clean(tally.robotsRules[0]?.rule ?? 'robots.txt');
    return [
      `  ✗ ${clean(typed)} does not allow this crawler: ${rule}`,
      '    Only robots.txt was fetched. Your own site? Add to it:  User-agent: webfarer / Allow: /',
    ];
  }
  if (byReason['private-address']) {
    return [
      `  ✗ ${clean(typed)} resolves to a private address${told(tally)}.`,
      fromFile
        ? "    Your own network? Allow it in the file:  fetch: { allowPrivate: ['host:port'] }"
        : `    Your own network? Allow it:  --allow-private ${clean(typed)}`,
    ];
  }
  const reasons = Object.keys(refusedReasons).filter((reason) => byReason[reason as RefusedReason]);
  const why = reasons.map((reason) => refusedReasons[reason as RefusedReason]).join('; ');
  return [`  ✗ nothing of ${clean(typed)} may be fetched: ${why}${told(tally)}.`];
}

function notFetched({ summary, tally, typed, launcher, kept }: ClosedDoor): string[] {
  const { byReason } = summary.snapshot;
  const reasons = Object.keys(failedReasons).filter((reason) => byReason[reason as FailedReason]);
  const why = reasons.map((reason) => failedReasons[reason as FailedReason]).join('; ');
  return [
    `  ✗ ${clean(typed)}: no page could be read; ${why}${told(tally)}.`,
    kept
      ? `    ${plural(summary.balance.failed, 'URL')} failed. Try again:  ${launcher} retry --verdict failed`
      : '    Nothing was kept: fix the scraper and run the same command again.',
  ];
}

function told(tally: Tally): string {
  return tally.firstDetail === undefined ? '' : ` (${clean(tally.firstDetail)})`;
}
