import type { Balance } from '../crawl/record.ts';
import type { CrawlSnapshot } from '../crawl/snapshot.ts';
import { isErrorStatus } from './outcomes.ts';
import type { NumberTone, Words } from './words.ts';

/** What numbers are read from: a snapshot, or the part of one that a surface has. */
export type Counted = { [Name in keyof CrawlSnapshot]?: CrawlSnapshot[Name] | undefined };

export type NumberUnit =
  | 'URLs'
  | 'requests'
  | 'links'
  | 'hosts'
  | 'items'
  | 'bytes'
  | 'URLs/s'
  | 'ms'
  | 'share';

export interface NumberMeaning {
  unit: NumberUnit;
  /** One sentence that decides every doubt. */
  means: string;
  words: Words;
  tone: NumberTone;
  /** Undefined: not known. Absent numbers are never 0. */
  of: (counted: Counted) => number | undefined;
}

const outcome =
  (name: keyof Balance) =>
  ({ balance }: Counted) =>
    balance?.[name];
const sum = (counts: Readonly<Record<string, number>>, which: (name: string) => boolean): number =>
  Object.entries(counts).reduce((all, [name, n]) => (which(name) ? all + n : all), 0);
const settled = ({ done, failed, refused }: Balance): number => done + failed + refused;

/** Links that the rules of the job leave out; those beyond a limit are in its scope. */
const scopeReasons = new Set(['scope', 'excluded', 'not-included', 'scheme']);

/**
 * Every number of a crawl, once. Terminal, console, report and docs take value, unit, words and colour from here; the API
 * and the metrics have the values under the same definitions.
 */
export const numberTable = {
  known: {
    unit: 'URLs',
    means: 'All URLs of the crawl: queued + leased + done + failed + refused',
    words: { en: 'known', de: 'bekannt' },
    tone: 'plain',
    of: outcome('known'),
  },
  queued: {
    unit: 'URLs',
    means: 'URLs that wait for a worker',
    words: { en: 'queued', de: 'wartend' },
    tone: 'queued',
    of: outcome('queued'),
  },
  leased: {
    unit: 'URLs',
    means: 'URLs that a worker holds and has not reported: most of them wait there for their turn',
    words: { en: 'leased', de: 'vergeben' },
    tone: 'leased',
    of: outcome('leased'),
  },
  done: {
    unit: 'URLs',
    means: 'URLs that answered, whatever the status: a redirect and a 404 are answers',
    words: { en: 'done', de: 'erledigt' },
    tone: 'done',
    of: outcome('done'),
  },
  failed: {
    unit: 'URLs',
    means: 'URLs without a usable answer after the last try: the network, 429, 5xx, or code of the job',
    words: { en: 'failed', de: 'fehlgeschlagen' },
    tone: 'failed',
    of: outcome('failed'),
  },
  refused: {
    unit: 'URLs',
    means: 'URLs that a rule kept from being fetched or saved: robots.txt, a limit, the type, an operator',
    words: { en: 'refused', de: 'abgelehnt' },
    tone: 'refused',
    of: outcome('refused'),
  },
  settled: {
    unit: 'URLs',
    means: 'URLs that have an outcome: done + failed + refused',
    words: { en: 'settled', de: 'abgeschlossen' },
    tone: 'plain',
    of: ({ balance }) => balance && settled(balance),
  },
  errorAnswers: {
    unit: 'URLs',
    means:
      'Of the URLs that are done, those that answered with 400 or above, such as 404: an answer, and a broken link',
    words: { en: 'error answers', de: 'Fehlerantworten' },
    tone: 'client',
    of: ({ byStatus }) => byStatus && sum(byStatus, (status) => isErrorStatus(Number(status))),
  },
  brokenLinks: {
    unit: 'URLs',
    means:
      'URLs whose answer is an error, that gave no answer, or that redirect in a circle; not those that failed by code of the job or for too many requests. Counted from the records',
    words: { en: 'broken links', de: 'kaputte Links' },
    tone: 'failed',
    of: () => undefined,
  },
  inFlight: {
    unit: 'requests',
    means: 'Requests for URLs under way at this moment',
    words: { en: 'in flight', de: 'unterwegs' },
    tone: 'leased',
    of: ({ inFlight }) => inFlight,
  },
  hostsQueued: {
    unit: 'hosts',
    means: 'Hosts that have URLs in the queue or held by a worker',
    words: { en: 'hosts', de: 'Hosts' },
    tone: 'plain',
    of: ({ hostsQueued }) => hostsQueued,
  },
  bytes: {
    unit: 'bytes',
    means: 'Bytes of the bodies of all outcomes, as sent',
    words: { en: 'received', de: 'empfangen' },
    tone: 'plain',
    of: ({ bytes }) => bytes,
  },
  items: {
    unit: 'items',
    means: 'Items that the scraper pushed and that were stored',
    words: { en: 'items', de: 'Datensätze' },
    tone: 'plain',
    of: ({ items }) => items,
  },
  outOfScope: {
    unit: 'links',
    means:
      'Links that the scope of the job leaves out, each as often as it was found; they are no URLs of the crawl',
    words: { en: 'out of scope', de: 'außerhalb des Bereichs' },
    tone: 'queued',
    of: ({ dropped }) => dropped && sum(dropped, (reason) => scopeReasons.has(reason)),
  },
  notQueued: {
    unit: 'links',
    means: 'All links that were not queued, for whatever reason, each as often as it was found',
    words: { en: 'links not queued', de: 'Links, die nicht eingereiht wurden' },
    tone: 'queued',
    of: ({ dropped }) => dropped && sum(dropped, () => true),
  },
  pagesPerSecond: {
    unit: 'URLs/s',
    means: 'URLs that were settled each second, over the last ten seconds; 0 while the crawl does not run',
    words: { en: 'pages/s', de: 'Seiten/s' },
    tone: 'accent',
    of: ({ state, pagesPerSecond }) => (state === 'running' || state === undefined ? pagesPerSecond : 0),
  },
  elapsed: {
    unit: 'ms',
    means: 'Time in which the crawl ran, over all its sessions; pauses and holds do not count',
    words: { en: 'ran', de: 'Laufzeit' },
    tone: 'plain',
    of: ({ elapsedMs }) => elapsedMs,
  },
  left: {
    unit: 'ms',
    means:
      'Estimate of the time left: at least this; absent while nothing can be foretold, and when the crawl does not run',
    words: { en: 'left', de: 'übrig' },
    tone: 'plain',
    of: ({ state, leftMs }) => (state === 'running' || state === undefined ? leftMs : undefined),
  },
  progress: {
    unit: 'share',
    means: 'Settled URLs as a share of the known ones',
    words: { en: 'progress', de: 'Fortschritt' },
    tone: 'done',
    of: ({ balance }) => balance && share(settled(balance), balance.known),
  },
  failedShare: {
    unit: 'share',
    means: 'Failed URLs as a share of the settled ones',
    words: { en: 'failed', de: 'fehlgeschlagen' },
    tone: 'failed',
    of: ({ balance }) => balance && share(balance.failed, settled(balance)),
  },
  responseTime: {
    unit: 'ms',
    means: 'Median time of the last 512 answers, from the start of the request to the last byte',
    words: { en: 'response time', de: 'Antwortzeit' },
    tone: 'plain',
    of: ({ latency }) => latency?.p50Ms,
  },
} as const satisfies Record<string, NumberMeaning>;

export type NumberName = keyof typeof numberTable;

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** The value of a number by its definition; undefined: not known. */
export function numberOf(name: NumberName, counted: Counted): number | undefined {
  const { of }: NumberMeaning = numberTable[name];
  return of(counted);
}

/** The parts that known URLs are made of, what is settled first. */
export const balanceParts = ['done', 'failed', 'refused', 'leased', 'queued'] as const satisfies NumberName[];
export type BalancePart = (typeof balanceParts)[number];

/** Of a crawl that nobody works on nothing is leased: what was is fetched when it is resumed, as if it were queued. */
export function shownBalance(balance: Balance, isOpen: boolean): Balance {
  return isOpen ? balance : { ...balance, leased: 0, queued: balance.queued + balance.leased };
}
