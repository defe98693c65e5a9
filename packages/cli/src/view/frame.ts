import type { CrawlSnapshot, PageRecord } from '@webfarer/protocol';
import { numberOf, type NumberTone, numberTable, toneOfStatus } from '@webfarer/protocol/numbers';
import { pauseLines, pauseOf, reasonName, waitingFor } from './wording.ts';
import { type Chunk, chunk, fit, lineWidth, styled } from '../terminal/chunks.ts';
import { bytes, count, plural, rate, seconds, span, stopwatch } from '../terminal/format.ts';
import {
  clean,
  type Line,
  padEnd,
  padStart,
  painter,
  paintLine,
  type Style,
  truncateMiddle,
} from '../terminal/text.ts';
import { goalWords, shareOf, leftWords } from './goal.ts';

export interface FrameSize {
  columns: number;
  colour: boolean;
  /** `limits.pages`, so that the bar fills as the limit nears. */
  pageLimit?: number;
  /** Names the keys that work; off where keys are not read. */
  keys?: boolean;
}

/** The view never grows beyond this, whatever happens. */
export const frameLines = 8;

/**
 * The live view at one moment: five lines of state, then what stands in the way. Figures that rise and
 * fall have a fixed width, so nothing jumps; those that only grow take the room they need.
 */
export function frame(snapshot: CrawlSnapshot, notes: readonly string[], size: FrameSize): string[] {
  const paint = painter(size.colour);
  const lines = [
    progressLine(snapshot, size),
    outcomeLine(snapshot, size),
    queueLine(snapshot, size),
    trafficLine(snapshot, size),
    lastLine(snapshot.last, size),
    ...troubleLines(snapshot, notes),
  ];
  return lines.slice(0, frameLines).map((line) => paintLine(line, size.columns, paint));
}

function troubleLines(snapshot: CrawlSnapshot, notes: readonly string[]): Line[] {
  const pause = pauseOf(snapshot);
  const lines = pause ? pauseLines(pause, snapshot.balance.done) : [];
  return [...lines, ...notes.map(clean)].map((text) => ['  ', styled('warn', text)]);
}

function progressLine(snapshot: CrawlSnapshot, size: FrameSize): Line {
  const { balance } = snapshot;
  const known = count(balance.known);
  const barColumns = size.columns >= 100 ? 20 : size.columns >= 80 ? 14 : 8;
  const done = padStart(count(balance.done), known.length);
  return fit(
    [
      chunk(
        9,
        styled('strong', stopwatch(snapshot.elapsedMs)),
        '  ',
        ...bar(shareOf(balance, size.pageLimit), barColumns),
      ),
      chunk(8, styled('strong', done), ` ${word('done')} of ${goalWords(balance, size.pageLimit)}`),
      chunk(6, `${padStart(rate(snapshot.pagesPerSecond), 5)} pages/s`),
      chunk(5, leftText(snapshot)),
    ],
    size.columns,
  );
}

function leftText(snapshot: CrawlSnapshot): string {
  if (pauseOf(snapshot)) return 'paused';
  const left = leftWords(snapshot);
  if (left !== undefined) return left;
  const runs = snapshot.state === 'running' && snapshot.pagesPerSecond > 0 && snapshot.balance.queued > 0;
  return runs ? 'time left: cannot tell yet' : '';
}

function bar(share: number, columns: number): Line {
  // Begun shows at once, full only when it is.
  const full = share === 0 ? 0 : Math.max(1, Math.floor(share * columns));
  return [styled('good', '█'.repeat(full)), styled('quiet', '░'.repeat(columns - full))];
}

function outcomeLine(snapshot: CrawlSnapshot, size: FrameSize): Line {
  const { byStatus, byReason, balance } = snapshot;
  const s2 = statusSum(byStatus, '2');
  const only200 = s2 === (byStatus['200'] ?? 0);
  const s5 = byReason['http-5xx'] ?? 0;
  return fit(
    [
      chunk(9, `${only200 ? '200' : '2xx'} `, figure(styleOf.done, s2)),
      chunk(6, '3xx ', count(statusSum(byStatus, '3'))),
      chunk(8, '4xx ', figure(styleOf.client, statusSum(byStatus, '4'))),
      chunk(7, '5xx ', figure(styleOf.failed, s5)),
      chunk(8, `${word('failed')} `, figure(styleOf.failed, balance.failed)),
      chunk(5, `${word('refused')} `, figure(styleOf.refused, balance.refused), topRefused(snapshot)),
      chunk(3, `${word('outOfScope')} ${count(numberOf('outOfScope', snapshot) ?? 0)}`),
    ],
    size.columns,
  );
}

/** Zero is quiet; anything else is worth its colour. */
function figure(style: Style, n: number) {
  return n === 0 ? '0' : styled(style, count(n));
}

/** What the colour of a number is on a terminal. */
const styleOf: Record<NumberTone, Style> = {
  done: 'good',
  accent: 'good',
  client: 'warn',
  failed: 'bad',
  refused: 'warn',
  leased: 'plain',
  queued: 'plain',
  plain: 'plain',
};
const word = (name: keyof typeof numberTable): string => numberTable[name].words.en;

function statusSum(byStatus: Record<string, number>, leading: string): number {
  return Object.entries(byStatus).reduce(
    (sum, [status, n]) => (status.startsWith(leading) ? sum + n : sum),
    0,
  );
}

const refusedInView = [
  'robots',
  'robots-unreachable',
  'challenge',
  'type',
  'trap',
  'host-budget',
  'site-budget',
  'scope',
] as const;

function topRefused(snapshot: CrawlSnapshot): string {
  const top = refusedInView
    .map((reason) => ({ reason, n: snapshot.byReason[reason] ?? 0 }))
    .filter(({ n }) => n > 0)
    .toSorted((a, b) => b.n - a.n)
    .slice(0, 2);
  return top.length === 0
    ? ''
    : ` (${top.map(({ reason, n }) => `${reasonName(reason)} ${count(n)}`).join(', ')})`;
}

function queueLine(snapshot: CrawlSnapshot, size: FrameSize): Line {
  const { balance } = snapshot;
  const queued = padStart(count(balance.queued), count(balance.known).length);
  const waiting = waitingFor(snapshot);
  const chunks: Chunk[] = [
    chunk(7, `${word('queued')} ${queued} in ${plural(snapshot.hostsQueued, 'host')}`),
    chunk(5, `${word('leased')} ${count(balance.leased)}`),
    chunk(6, `${word('inFlight')} ${count(snapshot.inFlight)}`),
  ];
  if (waiting !== undefined) chunks.push(chunk(9, 'waiting: ', styled('strong', waiting)));
  return fit(chunks, size.columns);
}

function trafficLine(snapshot: CrawlSnapshot, size: FrameSize): Line {
  const { archive, latency, items } = snapshot;
  const paused = pauseOf(snapshot)?.cause === 'operator';
  const chunks: Chunk[] = [chunk(9, `${bytes(snapshot.bytes)} in`)];
  if (archive.files > 0)
    chunks.push(chunk(8, `archive ${plural(archive.files, 'file')} ${bytes(archive.bytes)}`));
  if (items > 0) chunks.push(chunk(8, plural(items, 'item')));
  if (latency)
    chunks.push(chunk(6, `p50 ${padStart(span(latency.p50Ms), 6)}  p95 ${padStart(span(latency.p95Ms), 6)}`));
  if (size.keys)
    chunks.push(chunk(1, styled('quiet', `keys: p ${paused ? 'resume' : 'pause'}  h hosts  q stop`)));
  return fit(chunks, size.columns);
}

function lastLine(last: PageRecord | undefined, size: FrameSize): Line {
  if (!last) return ['  ', styled('quiet', 'no answer yet')];
  const facts: Line = [
    '  ',
    styled(verdictStyle(last), padStart(last.status?.toString() ?? '---', 3)),
    `  ${padEnd(kindOf(last), 5)}  ${padStart(bytes(last.bytes), 6)}  ${padStart(seconds(last.durationMs), 6)}`,
  ];
  const room = size.columns - 2 - lineWidth(facts);
  return ['  ', styled('link', padEnd(truncateMiddle(clean(last.url), room), room)), ...facts];
}

function verdictStyle(record: PageRecord): Style {
  if (record.verdict !== 'done') return styleOf[numberTable[record.verdict].tone];
  return styleOf[toneOfStatus(record.status ?? 200)];
}

/** `html` for text/html, `pdf` for application/pdf: the part that tells, five letters of it. */
function kindOf(record: PageRecord): string {
  const subtype = clean(record.mime ?? '').split('/')[1] ?? record.verdict;
  return subtype.replace(/^(x-|vnd\.)/, '').slice(0, 5);
}
