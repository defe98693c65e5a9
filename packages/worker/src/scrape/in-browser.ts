import { type Entry, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';

/**
 * Playwright's page. A program that is checked without the package playwright-core, which is optional, sees `any`.
 *
 * @ts-ignore */
export type BrowserPage = import('playwright-core').Page;

/** What is known of a page before it is read. */
export interface BrowserVisit {
  readonly url: Url;
  readonly label: string | undefined;
  readonly depth: number;
  readonly referrer: Url | undefined;
  /** What `follow` was given as `data`; undefined where it was given none. */
  readonly data: unknown;
  /** Aborted when the time of the page is up. */
  readonly signal: AbortSignal;
}

/**
 * Acts on a page in the browser, after the steps of the job and before it is read, within the time and the budgets of the
 * page. What it throws fails the page with `step-failed`.
 */
export type BrowserHandler = (browser: BrowserPage, visit: BrowserVisit) => void | Promise<void>;

/** A handler for each label. Without `default`, pages without a label and with any other one have none. */
export type BrowserRoutes = { readonly default?: BrowserHandler } & Readonly<Record<string, BrowserHandler>>;

/** Chooses the handler of a page; undefined: it has none, and need not be shown for it. */
export function browserHandlerOf(
  handlers: BrowserHandler | BrowserRoutes | undefined,
): (entry: Entry) => BrowserHandler | undefined {
  if (handlers === undefined) return () => undefined;
  if (typeof handlers === 'function') return () => handlers;
  const known = new Map(Object.entries(handlers));
  return ({ label }) => (label === undefined ? undefined : known.get(label)) ?? known.get('default');
}

export function visitOf(entry: Entry, signal: AbortSignal): BrowserVisit {
  const { url, label, depth, referrer, request } = entry;
  return { url: targetOf(url), label, depth, referrer, data: request?.data, signal };
}

/** What a module or program has under the name. Throws where that cannot be run. */
export function checkedInBrowser(given: unknown, name: string): BrowserHandler | BrowserRoutes | undefined {
  if (given === undefined || typeof given === 'function') return given as BrowserHandler | undefined;
  const routes = typeof given === 'object' && given !== null ? Object.values(given) : [];
  if (routes.length > 0 && routes.every((each) => typeof each === 'function')) return given as BrowserRoutes;
  throw new WebfarerError('job-invalid', `${name} has inBrowser, but not as a function`, {
    next: 'Write: export async function inBrowser(browser, { url, label }) { … }, or { label: function } for some pages.',
  });
}

/** A job that shows no page has no use for it. */
export function requireRender({ render }: Job, handlers: unknown): void {
  if (handlers === undefined || render !== 'never') return;
  throw new WebfarerError('job-invalid', 'inBrowser needs a browser, and the job shows no page in one', {
    next: 'Add render: auto to show the pages that inBrowser is for, or render: always.',
  });
}
