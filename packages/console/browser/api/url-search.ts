import type { ShownUrl } from '@webfarer/protocol/api';
import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';

export const urlStates = ['queued', 'leased', 'done', 'failed', 'refused'] as const;
export type UrlState = ShownUrl['state'];

const tables = { done: doneReasons, failed: failedReasons, refused: refusedReasons } as const;
export type Reason = keyof typeof doneReasons | keyof typeof failedReasons | keyof typeof refusedReasons;

/** Which URLs are shown. It stands in the address, so that a link shows the same; absent: any. */
export interface UrlsSearch {
  state?: UrlState;
  reason?: Reason;
  status?: string;
  host?: string;
  site?: string;
  prefix?: string;
  depth?: number;
}
export const textFields = ['prefix', 'host', 'site', 'status', 'depth'] as const;
export type TextField = (typeof textFields)[number];

/** The reasons that URLs of a state can have. */
export function reasonsOf(state: UrlState | undefined): Reason[] {
  if (state === 'queued' || state === 'leased') return [];
  const chosen = state === undefined ? Object.values(tables) : [tables[state]];
  return chosen.flatMap((table) => Object.keys(table) as Reason[]);
}

/** The URLs that ended so. */
export function searchOfReason(code: string): UrlsSearch {
  for (const state of urlStates) {
    const reason = reasonsOf(state).find((each) => each === code);
    if (reason) return { state, reason };
  }
  return {};
}

/** What of an address is a filter; everything else in it is ignored. */
export function urlsSearchIn(given: Record<string, unknown>): UrlsSearch {
  const text = (name: string): string => {
    const value = given[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  };
  const state = urlStates.find((each) => each === given['state']);
  const reason = reasonsOf(state).find((each) => each === given['reason']);
  const fields = textFields.flatMap((field) => {
    const typed = text(field);
    return typed !== '' && problemOf(field, typed) === undefined ? [[field, valueOf(field, typed)]] : [];
  });
  return { ...(state ? { state } : {}), ...(reason ? { reason } : {}), ...Object.fromEntries(fields) };
}

const patterns: Partial<Record<TextField, RegExp>> = {
  prefix: /^https?:\/\/[^\s]*$/,
  status: /^[1-5](\d\d|xx)$/,
  depth: /^\d{1,6}$/,
};
const mostLength: Readonly<Record<TextField, number>> = {
  prefix: 2083,
  host: 300,
  site: 300,
  status: 3,
  depth: 6,
};

/** Which field cannot be read as it is written; undefined: it can. */
export function problemOf(field: TextField, typed: string): TextField | undefined {
  const isRight = typed.length <= mostLength[field] && (patterns[field]?.test(typed) ?? true);
  return isRight ? undefined : field;
}

export const valueOf = (field: TextField, typed: string): string | number =>
  field === 'depth' ? Number(typed) : typed;

/** Whether the figures of the crawl tell how many URLs there are, without a search. */
const isCounted = (search: UrlsSearch): boolean => textFields.every((field) => search[field] === undefined);

export interface Figures {
  balance: Readonly<Record<UrlState | 'known', number>>;
  byReason: Readonly<Partial<Record<string, number>>>;
  /** Answers of 400 and above, which are done. */
  errorAnswers: number;
}

/** How many URLs a filter matches, as the crawl has counted; undefined: only a search can tell. */
export function countIn(search: UrlsSearch, figures: Figures | undefined): number | undefined {
  if (!figures || !isCounted(search)) return undefined;
  if (search.reason !== undefined) return figures.byReason[search.reason] ?? 0;
  return figures.balance[search.state ?? 'known'];
}
