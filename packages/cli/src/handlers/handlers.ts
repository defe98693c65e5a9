import {
  checkerOf,
  type Hooks,
  type ItemHook,
  type ResponseHook,
  type Scraper,
  type StandardSchema,
} from '@webfarer/worker';

/** Your own code around a page, in the order it runs. */
export interface Handlers<Item = unknown> {
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
  onResponse,
  onPage,
  onItem,
  items,
}: { [Name in keyof Handlers<Item>]: Handlers<Item>[Name] | undefined }): Hooks {
  return {
    ...(onResponse ? { onResponse } : {}),
    ...(onPage ? { onPage: onPage as Scraper } : {}),
    ...(onItem ? { onItem: onItem as ItemHook } : {}),
    ...(items ? { checkItem: checkerOf(items) } : {}),
  };
}
