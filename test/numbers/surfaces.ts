import type { CrawlDetail } from '@webfarer/protocol/api';

/** Numbers as a surface shows them; what it does not show is absent. */
export type Shown = Partial<
  Record<
    | 'known'
    | 'queued'
    | 'leased'
    | 'done'
    | 'failed'
    | 'refused'
    | 'inFlight'
    | 'errorAnswers'
    | 'brokenLinks'
    | 'bytes'
    | 'outOfScope',
    number
  >
> & { state?: string };

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined || !/\d/.test(text) ? undefined : Number(text.replaceAll(/[^\d]/g, ''));
const found = (text: string, pattern: RegExp): number | undefined => numberIn(pattern.exec(text)?.[1]);

function without(shown: Record<string, number | string | undefined>): Shown {
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)) as Shown;
}

export function shownByApi({ progress, state }: CrawlDetail): Shown {
  if (!progress) return { state };
  const { balance, byStatus, dropped, bytes, inFlight } = progress;
  const errors = Object.entries(byStatus).filter(([status]) => Number(status) >= 400);
  return {
    ...balance,
    state,
    bytes,
    inFlight,
    errorAnswers: errors.reduce((sum, [, n]) => sum + n, 0),
    outOfScope: dropped['scope'] ?? 0,
  };
}

/** `known 12 = queued 1 + leased 0 + …`, as each command prints it. */
function balanceIn(text: string): Shown {
  const of = (name: string) => found(text, new RegExp(`\\b${name} ([\\d,]+)`));
  return without({
    known: of('known'),
    queued: of('queued'),
    leased: of('leased'),
    done: of('done'),
    failed: of('failed'),
    refused: of('refused'),
  });
}

/** The lines about one crawl in what `webfarer status` prints. */
export function shownByStatus(text: string, name: string): Shown {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim().startsWith(`${name} `));
  const part = lines.slice(at, at + 4).join('\n');
  const state = /\s{3}([a-z][a-z ]*?)\s{3}/.exec(lines[at] ?? '')?.[1];
  return without({
    ...balanceIn(lines[at + 1] ?? ''),
    state,
    inFlight: found(part, /in flight ([\d,]+)/),
    errorAnswers: found(part, /with ([\d,]+) error answers/) ?? 0,
  });
}

/** The last frame that a live view drew: its fixed lines. */
export function shownInTerminal(frame: string): Shown {
  const of = (pattern: RegExp) => found(frame, pattern);
  return without({
    known: of(/([\d,]+) known/),
    done: of(/([\d,]+) done of/),
    failed: of(/failed ([\d,]+)/),
    refused: of(/refused ([\d,]+)/),
    queued: of(/queued +([\d,]+) in/),
    leased: of(/leased ([\d,]+)/),
    inFlight: of(/in flight ([\d,]+)/),
    errorAnswers: of(/4xx ([\d,]+)/),
    outOfScope: of(/out of scope ([\d,]+)/),
  });
}

export function shownByReport(page: string): Shown {
  const text = page
    .replaceAll(/<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, '')
    .replaceAll(/<[^>]*>/g, ' ');
  const of = (name: string) => found(text, new RegExp(`\\b${name}\\s+([\\d,]+)`));
  const sheet = text.slice(text.indexOf('Balance sheet'));
  return without({
    ...balanceIn(sheet.slice(0, 600).replaceAll(/\s+/g, ' ')),
    state: /class="state ([a-z-]+)"/.exec(page)?.[1],
    brokenLinks: of('Broken links'),
  });
}

/** Values of one crawl in the text that Prometheus reads. */
export function shownByMetrics(text: string, crawl: string): Shown {
  const urls = (state: string) =>
    found(text, new RegExp(`^webfarer_urls\\{crawl="${crawl}",state="${state}"\\} (\\d+)`, 'm'));
  return without({
    queued: urls('queued'),
    leased: urls('leased'),
    done: urls('done'),
    failed: urls('failed'),
    refused: urls('refused'),
  });
}
