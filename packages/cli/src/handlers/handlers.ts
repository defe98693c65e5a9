import {
  type BrowserHandler,
  type BrowserRoutes,
  checkedInBrowser,
  checkerOf,
  type Hooks,
  type ItemHook,
  type ResponseHook,
  type Scraper,
  type StandardSchema,
} from '@webfarer/worker';

/** Your own code around a page, in the order it runs. */
export interface Handlers<Item = unknown> {
  /**
   * Acts on HTML pages in a browser before they are read, with Playwright: a function, or one for each label. Needs `render`. Not run
   * by tests and `replay`, which read pages as they were.
   */
  inBrowser?: BrowserHandler | BrowserRoutes;
  /** Runs on each page before `onPage`. */
  onResponse?: ResponseHook;
  /** A function, or a `router` with one for each label. */
  onPage?: Scraper<Item>;
  /** Runs on each pushed item: may change it, or drop it with a reason. */
  onItem?: ItemHook<Item>;
  /** Any Standard Schema (zod, valibot, arktype): each item is checked before it is stored, exactly once. */
  items?: StandardSchema<Item>;
}

/** User code as a worker runs it, which knows nothing of the type of its items. */
export function hooksOf<Item>({
  inBrowser,
  onResponse,
  onPage,
  onItem,
  items,
}: { [Name in keyof Handlers<Item>]: Handlers<Item>[Name] | undefined }): Hooks {
  const acting = checkedInBrowser(inBrowser, 'The job');
  return {
    ...(acting ? { inBrowser: acting } : {}),
    ...(onResponse ? { onResponse } : {}),
    ...(onPage ? { onPage: onPage as Scraper } : {}),
    ...(onItem ? { onItem: onItem as ItemHook } : {}),
    ...(items ? { checkItem: checkerOf(items) } : {}),
  };
}
