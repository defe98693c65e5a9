import type { CrawlSnapshot } from '@webfarer/protocol';
import { addsUp, endedBy } from '@webfarer/protocol/crawl';
import type { Limits } from '@webfarer/protocol/job';
import {
  balanceParts,
  isOpen,
  numberOf,
  numberTable,
  shownBalance,
  shownState,
  stateTable,
} from '@webfarer/protocol/numbers';
import { bytes, count, moment, percent, plural, span, took } from './markup/format.ts';
import { type Html, html } from './markup/html.ts';
import { type Slice, stackedBar } from './page/parts.ts';
import type { Survey } from './survey/survey.ts';

/** Name, state and the circumstances of the crawl. */
export function headline(snapshot: CrawlSnapshot, seen: Survey, limits: Partial<Limits>): Html {
  const facts: [string, string | undefined][] = [
    ['First request', seen.statistics.answers > 0 ? moment(seen.statistics.firstMs) : undefined],
    ['Last answer', seen.statistics.answers > 0 ? moment(seen.statistics.lastMs) : undefined],
    ['Running time', span(snapshot.elapsedMs)],
    ['Limits', limitWords(limits)],
    ['Incomplete', endedBy(snapshot)],
  ];
  const state = shownState(snapshot);
  return html`<header class="wrap"><div class="brand"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M3.5 9.5c5 2.5 12 2.5 17 0M3.5 14.5c5-2.5 12-2.5 17 0M12 3c-4 5-4 13 0 18M12 3c4 5 4 13 0 18"/></svg>Webfarer crawl report<button type="button" class="theme">Dark</button></div>
<h1><bdi>${snapshot.name}</bdi><span class="state ${state}">${stateTable[state].words.en}</span></h1>
<dl class="facts">${facts
    .filter(([, value]) => value)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></header>
`;
}

function limitWords(limits: Partial<Limits>): string | undefined {
  const words = [
    limits.pages !== undefined && plural(limits.pages, 'page'),
    limits.bytes !== undefined && bytes(limits.bytes),
    limits.durationMs !== undefined && span(limits.durationMs),
    limits.depth !== undefined && `depth ${limits.depth}`,
    limits.cost !== undefined && `cost ${limits.cost}`,
    limits.perHost?.pages !== undefined && `${plural(limits.perHost.pages, 'page')} per host`,
    limits.perSite?.pages !== undefined && `${plural(limits.perSite.pages, 'page')} per site`,
  ].filter((word) => word !== false);
  return words.length > 0 ? words.join(' · ') : undefined;
}

/** known = done + failed + refused + queued + leased, and whether that is true. */
export function balanceCard(snapshot: CrawlSnapshot, absent = 0): Html {
  const balance = shownBalance(snapshot.balance, isOpen(snapshot.state));
  const parts: Slice[] = balanceParts.map((part) => {
    const { words, tone } = numberTable[part];
    return { label: words.en, value: balance[part], tone };
  });
  return html`<div class="card top"><h2>Balance sheet</h2>
<div class="sum"><dl class="sheet"><div><dt>${numberTable.known.words.en}</dt><dd>${count(balance.known)}</dd></div>${parts.map(
    (part) =>
      html`<div><dt><i class="${part.tone}"></i>${part.label}</dt><dd>${count(part.value)}</dd></div>`,
  )}</dl>${
    addsUp(balance)
      ? html`<span class="ok">✓ adds up</span>`
      : html`<span class="off">✗ does not add up: please report this</span>`
  }</div>${stackedBar(parts)}${
    absent > 0
      ? html`<p class="off">${count(absent)} results are in files of other processes that were not available; they are missing below.</p>`
      : ''
  }</div>
`;
}

export function tiles(snapshot: CrawlSnapshot, seen: Survey): Html {
  const seconds = snapshot.elapsedMs / 1000;
  const settled = numberOf('settled', snapshot) ?? 0;
  const all: [string, string][] = [
    ['Pages', count(seen.statistics.pages)],
    ['Hosts', count(seen.statistics.distinct.hosts.distinct)],
    ['Received', bytes(seen.statistics.bytes)],
    ['URLs per second, on average', seconds > 0 ? (settled / seconds).toFixed(1) : '–'],
    ['Median answer', seen.statistics.times.total > 0 ? took(seen.statistics.times.quantile(0.5)) : '–'],
    ['95 % within', seen.statistics.times.total > 0 ? took(seen.statistics.times.quantile(0.95)) : '–'],
  ];
  if (snapshot.items > 0) all.push(['Items', count(snapshot.items)]);
  return html`<dl class="tiles">${all.map(
    ([name, value]) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>
`;
}

interface Finding {
  mark: '!' | '·' | '✓';
  text: string;
  href: string;
  command?: string;
}

/** What deserves a look first, in words, with the section it is in. */
export function findings(snapshot: CrawlSnapshot, seen: Survey): Html {
  const list: Finding[] = [];
  const { broken, failed, refused, empty } = seen;
  if (broken.total > 0) {
    const on = broken.pages > 0 ? ` on ${plural(broken.pages, 'page')}` : '';
    list.push({ mark: '!', text: `${plural(broken.total, 'broken link')}${on}`, href: '#broken' });
  }
  if (failed.total > 0) {
    const [reason, times] = seen.failedBy.sorted()[0] ?? ['', 0];
    const text = `${plural(failed.total, 'URL')} failed, most often ${reason} (${count(times)})`;
    list.push({ mark: '!', text, href: '#failed', command: `webfarer retry --reason ${reason}` });
  }
  if (refused.total > 0) {
    const [key, times] = seen.refusedBy.sorted()[0] ?? ['', 0];
    const [reason, rule] = key.split('\n');
    const text = `${plural(refused.total, 'URL')} refused, ${count(times)} by ${rule || reason}`;
    list.push({ mark: '·', text, href: '#refused', command: 'webfarer explain URL' });
  }
  if (empty.total > 0) {
    list.push({
      mark: '·',
      text: `${plural(empty.total, 'page looks', 'pages look')} empty without JavaScript`,
      href: '#empty',
    });
  }
  if (seen.truncated > 0) {
    list.push({
      mark: '·',
      text: `${plural(seen.truncated, 'body was', 'bodies were')} cut short`,
      href: '#largest',
    });
  }
  if (snapshot.balance.queued > 0) {
    const text = `${plural(snapshot.balance.queued, 'URL')} still queued (${percent(snapshot.balance.queued, snapshot.balance.known)} of all known)`;
    list.push({ mark: '·', text, href: '#top' });
  }
  if (broken.total + failed.total === 0) {
    list.unshift({ mark: '✓', text: 'No broken links and nothing failed', href: '#broken' });
  }
  const tones = { '!': '', '·': ' warn', '✓': ' fine' };
  return html`<section id="look"><h2>Look at</h2><ul class="look">${list.map(
    ({ mark, text, href, command }) =>
      html`<li><span class="mark${tones[mark]}" aria-hidden="true">${mark}</span><a href="${href}"><bdi>${text}</bdi></a>${
        command ? html`<code>${command}</code>` : undefined
      }</li>`,
  )}</ul></section>
`;
}
