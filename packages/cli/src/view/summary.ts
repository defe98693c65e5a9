import type {
  Balance,
  CrawlSnapshot,
  DroppedReason,
  FailedReason,
  LimitedBy,
  OutcomeReason,
} from '@webfarer/protocol';
import { addsUp, droppedReasons, endedBy, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import type { ThresholdResult } from '@webfarer/protocol/job';
import { type Counted, numberOf, numberTable } from '@webfarer/protocol/numbers';
import type { Summary } from '../crawl/crawl-run.ts';
import { type ChangeCounts, changeKinds } from '../folder/change-counts.ts';
import { type ItemChangeCounts, itemChangeKinds } from '../folder/item-changes-file.ts';
import type { Ending } from '../crawl/ending.ts';
import type { Tally } from '../crawl/tally.ts';
import { reasonName } from './wording.ts';
import { count, longSpan, percent, plural, stopwatch } from '../terminal/format.ts';
import type { Finding } from './findings.ts';
import { clean, displayWidth, padEnd, padStart, type Paint, painter, truncate } from '../terminal/text.ts';

export interface SummaryFacts {
  summary: Pick<Summary, 'state' | 'snapshot' | 'balance' | 'limitedBy' | 'pause'>;
  ending: Ending;
  tally: Tally;
  thresholds: readonly ThresholdResult[];
  /** In a recrawl: what changed since the crawl before, and the command that lists it. */
  changes?: { counts: ChangeCounts; hint: string };
  /** The same of its items, if there are any. */
  itemChanges?: { counts: ItemChangeCounts; hint: string };
  findings: readonly Finding[];
  /** `archive/ 2 files 148 MB`, `report.html`, ... */
  saved: readonly string[];
  folder: string;
  /** The command that resumes this crawl. */
  goOn: string;
  /** For a crawl that met a limit: the command with the limit raised. */
  goFurther?: string;
  next: readonly string[];
}

/** The end of a crawl: the balance first, then what it is made of, what deserves a look and what to do next. */
export function summaryLines(facts: SummaryFacts, size: { columns: number; colour: boolean }): string[] {
  const paint = painter(size.colour);
  const how = { columns: size.columns, paint };
  const { snapshot, balance } = facts.summary;
  const lines = [headLine(facts, paint), ...balanceLines(balance, size.columns, paint)];
  if (facts.ending === 'interrupted' || facts.ending === 'storage')
    return [...lines, ...goOnLines(facts, paint)];
  lines.push(...groupLines(snapshot, facts.tally, size.columns, paint));
  if (facts.changes) lines.push(...changeLines('since', facts.changes, { kinds: changeKinds, ...how }));
  if (facts.itemChanges)
    lines.push(...changeLines('items', facts.itemChanges, { kinds: itemChangeKinds, ...how }));
  if (facts.thresholds.length > 0)
    lines.push(...facts.thresholds.map((result) => thresholdLine(result, paint)));
  if (facts.findings.length > 0)
    lines.push('  look at', ...findingLines(facts.findings, size.columns, paint));
  lines.push(...row('saved', [`${facts.folder}/ `, facts.saved.join(' · ')].join(' '), size.columns, paint));
  if (facts.goFurther) lines.push(...row('go on', facts.goFurther, size.columns, paint));
  if (facts.next.length > 0) lines.push(...row('next', facts.next.join(' · '), size.columns, paint));
  return lines;
}

const limitNames: Record<LimitedBy, string> = {
  pages: 'page limit',
  bytes: 'byte limit',
  duration: 'time limit',
  perHost: 'limit of hosts',
  perSite: 'limit of sites',
};

function headLine({ summary, ending }: SummaryFacts, paint: Paint): string {
  const time = stopwatch(summary.snapshot.elapsedMs);
  if (summary.state === 'limited') {
    const by = limitNames[summary.limitedBy ?? 'pages'];
    const refused = endedBy(summary.snapshot);
    if (summary.balance.queued === 0 && refused !== undefined)
      return `  ${paint('strong', `${by} reached after ${time}`)}; ${refused}`;
    const queued = plural(summary.balance.queued, 'URL stays', 'URLs stay');
    return `  ${paint('strong', `${by} reached after ${time}`)}; ${queued} queued`;
  }
  if (ending === 'interrupted' || ending === 'storage')
    return `  ${paint('strong', `stopped after ${time}`)}`;
  const less = endedBy(summary.snapshot);
  return `  ${paint('strong', `finished in ${time}`)}${less === undefined ? '' : `; ${less}`}`;
}

/** The way of a URL. */
const shownOrder = ['queued', 'leased', 'done', 'failed', 'refused'] as const;

/** `known 1,273 = queued 1,207 + leased 0 + …   ✓ adds up`. */
export function balanceText(b: Balance): string {
  return (
    `${numberTable.known.words.en} ${count(b.known)} = ` +
    shownOrder.map((part) => `${numberTable[part].words.en} ${count(b[part])}`).join(' + ')
  );
}

export function balanceLines(balance: Balance, columns: number, paint: Paint): string[] {
  const text = balanceText(balance);
  const verdict = addsUp(balance)
    ? paint('good', '✓ adds up')
    : paint('bad', '✗ does not add up; please report this');
  if (displayWidth(text) + 2 + 3 + 9 <= columns) return [`  ${text}   ${verdict}`];
  return [`  ${truncate(text, columns - 2)}`, `  ${verdict}`];
}

/** A 404 is an answer, so it is done; what it says of the link is said beside it. */
export function errorWords({ byStatus }: Pick<Counted, 'byStatus'>): string[] {
  const errors = numberOf('errorAnswers', { byStatus }) ?? 0;
  if (errors === 0) return [];
  const { done, errorAnswers, brokenLinks } = numberTable;
  return [
    `${done.words.en} with ${count(errors)} ${errorAnswers.words.en} such as 404, which are ${brokenLinks.words.en}`,
  ];
}

export interface ReasonCounts {
  byReason: Record<string, number>;
  dropped: Record<string, number>;
}

const mostReasons = 8;

/** Why URLs ended otherwise than as asked for, and why links were not queued; no line where there were none. */
export function reasonCountLines({ byReason, dropped }: ReasonCounts): string[] {
  const reasons = Object.entries(byReason)
    .filter(([reason]) => reason !== 'ok')
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostReasons)
    .map(([reason, n]) => `${reasonName(reason as 'ok')} ${count(n)}`);
  const links = Object.entries(dropped)
    .filter(([reason]) => reason in droppedReasons)
    .map(([reason, n]) => `${reason} ${count(n)}`);
  return [
    ...(reasons.length > 0 ? [`  ${reasons.join('   ')}`] : []),
    ...(links.length > 0 ? [`  links not queued: ${links.join('   ')}`] : []),
  ];
}

function goOnLines({ ending, goOn, summary }: SummaryFacts, paint: Paint): string[] {
  const pause = summary.pause && ending === 'storage' ? [`  ${clean(summary.pause.text)}`] : [];
  return [...pause, `  Nothing is lost. Resume with:  ${paint('strong', goOn)}`];
}

function groupLines(snapshot: CrawlSnapshot, tally: Tally, columns: number, paint: Paint): string[] {
  const lines: string[] = [];
  const done = doneParts(snapshot);
  const failed = reasonParts(snapshot, failedReasons, (reason) => failedName(reason, tally));
  const refused = reasonParts(snapshot, refusedReasons);
  if (done.length > 0) lines.push(...group('done', done, columns, paint));
  if (failed.length > 0) lines.push(...group('failed', failed, columns, paint));
  if (refused.length > 0) lines.push(...group('refused', refused, columns, paint));
  const links = linkParts(snapshot);
  if (links.length > 0) lines.push(...group('links', links, columns, paint));
  return lines;
}

function changeLines<Kind extends string>(
  name: string,
  { counts, hint }: { counts: Record<Kind, number>; hint: string },
  { kinds, columns, paint }: { kinds: readonly Kind[]; columns: number; paint: Paint },
): string[] {
  const parts = kinds
    .filter((kind) => counts[kind] > 0 || kind === 'changed')
    .map((kind) => `${kind} ${count(counts[kind])}`);
  return group(name, [...parts, paint('link', hint)], columns, paint);
}

function failedName(reason: OutcomeReason, tally: Tally): string {
  if (reason !== 'http-5xx' || tally.triesFor5xx < 2) return reasonName(reason);
  return `5xx after ${tally.triesFor5xx} tries`;
}

/** Each status of its own, redirects together. */
function doneParts({ byStatus, byReason }: CrawlSnapshot): string[] {
  const parts: string[] = [];
  const statuses = Object.entries(byStatus).filter(([status]) => !status.startsWith('3'));
  const ordered = statuses.toSorted(([a], [b]) => Number(a) - Number(b));
  for (const [status, n] of ordered.filter(([s]) => s.startsWith('2'))) parts.push(`${status} ${count(n)}`);
  if (byReason.redirect) parts.push(`redirect ${count(byReason.redirect)}`);
  if (byReason['not-modified']) parts.push(`unchanged ${count(byReason['not-modified'])}`);
  for (const [status, n] of ordered.filter(([s]) => !s.startsWith('2'))) parts.push(`${status} ${count(n)}`);
  return parts;
}

function reasonParts(
  { byReason }: CrawlSnapshot,
  table: Readonly<Record<string, string>>,
  name: (reason: OutcomeReason) => string = reasonName,
): string[] {
  return (Object.keys(table) as (FailedReason & OutcomeReason)[])
    .filter((reason) => (byReason[reason] ?? 0) > 0)
    .toSorted((a, b) => (byReason[b] ?? 0) - (byReason[a] ?? 0))
    .map((reason) => `${name(reason)} ${count(byReason[reason] ?? 0)}`);
}

/** Links that were never queued: one sum for the scope, then every other reason. */
function linkParts({ dropped }: CrawlSnapshot): string[] {
  const parts: string[] = [];
  const scope = numberOf('outOfScope', { dropped }) ?? 0;
  if (scope > 0) parts.push(`${numberTable.outOfScope.words.en} ${count(scope)}`);
  const others = [
    'depth',
    'cost',
    'nofollow',
    'not-followed',
    'requisite',
    'invalid',
    'too-long',
    'trap',
    'redirect-limit',
  ] as const;
  const budgets = ['host-budget', 'site-budget'] as const;
  for (const reason of [...others, ...budgets] satisfies DroppedReason[]) {
    const n = dropped[reason] ?? 0;
    if (n > 0) parts.push(`${reason in droppedReasons ? linkNames[reason] : reason} ${count(n)}`);
  }
  if (parts.length > 0) parts.push('(counted, not queued)');
  return parts;
}

const linkNames = {
  depth: 'beyond limits.depth',
  cost: 'beyond limits.cost',
  nofollow: 'nofollow',
  'not-followed': 'not chosen',
  requisite: 'images, styles, scripts',
  invalid: 'not a URL',
  'too-long': 'too long',
  trap: 'trap',
  'redirect-limit': 'too many redirects',
  'host-budget': 'over the host budget',
  'site-budget': 'over the site budget',
};

function group(name: string, parts: readonly string[], columns: number, paint: Paint): string[] {
  const lines = packed(parts, columns - 13, '   ');
  return lines.map((line, i) => `    ${paint('quiet', padEnd(i === 0 ? name : '', 8))} ${line}`);
}

/** As many parts on a line as fit. */
function packed(parts: readonly string[], columns: number, between: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : line + between + part;
    if (line !== '' && displayWidth(longer) > columns) {
      lines.push(line);
      line = part;
    } else line = longer;
  }
  if (line !== '') lines.push(line);
  return lines;
}

function row(name: string, text: string, columns: number, paint: Paint): string[] {
  const lines = packed(text.split(' · '), columns - 11, ' · ');
  return lines.map((line, i) => `  ${paint('quiet', padEnd(i === 0 ? name : '', 8))} ${line}`);
}

function thresholdLine(result: ThresholdResult, paint: Paint): string {
  const mark = result.met ? paint('good', '✓') : paint('bad', '✗');
  return `  ${mark} ${thresholdText(result)}`;
}

/** The same for a crawl that was over before: what it missed, it still misses. */
export function thresholdLines(results: readonly ThresholdResult[], colour: boolean): string[] {
  return results.map((result) => thresholdLine(result, painter(colour)));
}

/** `failed < 1%: 0.33%`. */
function thresholdText({ of, sign, value, percent: isShare, actual }: ThresholdResult): string {
  return isShare
    ? `${of} ${sign} ${value}%: ${percent(actual / 100)}`
    : `${of} ${sign} ${count(value)}: ${count(actual)}`;
}

function findingLines(findings: readonly Finding[], columns: number, paint: Paint): string[] {
  const figures = findings.map((f) => (f.count === undefined ? '' : count(f.count)));
  const width = Math.max(...figures.map((f) => f.length));
  const texts = findings.map((f) => clean(f.text));
  const hinted = texts.filter((_, i) => findings[i]?.hint !== undefined).map(displayWidth);
  const textWidth = Math.min(Math.max(0, ...hinted), Math.max(30, columns - width - 34));
  return findings.map((finding, i) => {
    const start = `    ${padStart(figures[i] ?? '', width)} `;
    if (!finding.hint) return truncate(start + texts[i], columns);
    return `${start}${padEnd(truncate(texts[i] ?? '', textWidth), textWidth)}   ${paint('link', finding.hint)}`;
  });
}

/** The line for a folder whose crawl has nothing left to do. */
export function nothingLeft(finishedAgoMs: number, shared = false): string {
  if (shared) return '  finished, nothing left.  Use another name (name: in the job file) to start over';
  return `  finished ${longSpan(finishedAgoMs)} ago, nothing left.  --recrawl fetches what changed · --fresh starts over`;
}
