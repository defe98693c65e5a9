import type { CrawlSnapshot } from '@webfarer/protocol';
import type { Tally } from '../tally.ts';

/** Something in the results that deserves a look, and the command that shows it. */
export interface Finding {
  count?: number;
  text: string;
  hint?: string;
}

const most = 6;

export function findings(
  snapshot: CrawlSnapshot,
  tally: Tally,
  command: (words: string) => string,
): Finding[] {
  const { byReason } = snapshot;
  const found: Finding[] = [];
  const add = (n: number | undefined, text: string, hint?: string) => {
    if (n)
      found.push({
        count: n,
        text,
        ...(hint === undefined ? {} : { hint: hint.startsWith('@') ? command(hint.slice(2)) : hint }),
      });
  };
  add(tally.broken, tally.broken === 1 ? 'broken link' : 'broken links', '@ report --broken');
  add(byReason['http-5xx'], 'URLs ended in 5xx', '@ retry --status 5xx');
  add(byReason.handler, "errors in the scraper's own code", '@ report --failed');
  add(byReason['item-invalid'], 'items do not fit the schema', '@ report --failed');
  add(byReason['host-dead'], 'URLs of hosts that never answered', '@ retry --reason host-dead');
  add(
    byReason['robots-unreachable'],
    'refused: robots.txt could not be read',
    '@ retry --reason robots-unreachable',
  );
  for (const { rule, count: n } of tally.robotsRules.slice(0, 2)) add(n, `refused: ${rule}`);
  add(byReason['private-address'], 'lead to private addresses', '@ report --skipped');
  add(byReason.trap, 'look like an endless space (calendar, session ids)', '@ report --skipped');
  add(tally.looksEmpty, 'pages look empty without JavaScript', 'listed in report.html');
  add(tally.truncated, 'bodies were cut at the size limit', 'fetch.maxBody in a job file');
  return found.slice(0, most);
}
