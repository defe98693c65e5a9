import type { CrawlSnapshot } from '@webfarer/protocol';
import type { Tally } from '../crawl/tally.ts';

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
  /** `text` is for several; `one` where a single one reads differently. */
  const add = (
    n: number | undefined,
    { text, one = text, hint }: { text: string; one?: string; hint?: string },
  ) => {
    if (n)
      found.push({
        count: n,
        text: n === 1 ? one : text,
        ...(hint === undefined ? {} : { hint: hint.startsWith('@') ? command(hint.slice(2)) : hint }),
      });
  };
  add(tally.broken, { text: 'broken links', one: 'broken link', hint: '@ report --broken' });
  add(byReason['http-5xx'], {
    text: 'URLs ended in 5xx',
    one: 'URL ended in 5xx',
    hint: '@ retry --status 5xx',
  });
  add(byReason.handler, {
    text: "errors in the scraper's own code",
    one: "error in the scraper's own code",
    hint: '@ report --failed',
  });
  add(byReason['item-invalid'], {
    text: 'pages had an item that does not fit the schema or JSON',
    one: 'page had an item that does not fit the schema or JSON',
    hint: '@ report --failed',
  });
  add(byReason['host-dead'], {
    text: 'URLs of hosts that never answered',
    one: 'URL of a host that never answered',
    hint: '@ retry --reason host-dead',
  });
  add(byReason['robots-unreachable'], {
    text: 'refused: robots.txt could not be read',
    hint: '@ retry --reason robots-unreachable',
  });
  add(byReason.challenge, {
    text: 'answered with a CAPTCHA or challenge page',
    hint: '@ report --skipped',
  });
  for (const { rule, count: n } of tally.robotsRules.slice(0, 2)) add(n, { text: `refused: ${rule}` });
  add(byReason['private-address'], {
    text: 'lead to private addresses',
    one: 'leads to a private address',
    hint: '@ report --skipped',
  });
  add(byReason.trap, {
    text: 'look like an endless space (calendar, session ids)',
    one: 'looks like an endless space (calendar, session ids)',
    hint: '@ report --skipped',
  });
  add(tally.looksEmpty, {
    text: 'pages look empty without JavaScript',
    one: 'page looks empty without JavaScript',
    hint: 'listed in report.html',
  });
  add(tally.truncated, {
    text: 'bodies were cut at the size limit',
    one: 'body was cut at the size limit',
    hint: 'fetch.maxBody in a job file',
  });
  return found.slice(0, most);
}
