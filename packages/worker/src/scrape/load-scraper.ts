import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Job, WebfarerError } from '@webfarer/protocol';
import { idsScraper, linksScraper, siteScraper } from './built-in.ts';
import { checkerOf, type ItemVerdict, isSchema } from './item-schema.ts';
import { type BrowserHandler, type BrowserRoutes, checkedInBrowser } from './in-browser.ts';
import type { ItemHook, ResponseHook, Scraper } from './scraper.ts';

/** What a scraper module may export. */
export interface LoadedScraper {
  inBrowser?: BrowserHandler | BrowserRoutes;
  onPage: Scraper;
  onResponse?: ResponseHook;
  onItem?: ItemHook;
  checkItem?: (item: unknown) => Promise<ItemVerdict>;
}

/** The scraper a job names: a built-in one, or a user's module beside the job file. */
export async function loadScraper(scraper: Job['scraper'], baseFolder: string): Promise<LoadedScraper> {
  if (scraper.kind === 'links') return { onPage: linksScraper(scraper) };
  if (scraper.kind === 'ids') return { onPage: idsScraper(scraper) };
  if (scraper.kind === 'site') return { onPage: siteScraper(scraper) };
  const path = resolve(baseFolder, scraper.path);
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw new WebfarerError(
      'job-invalid',
      `cannot load the scraper ${scraper.path}: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  const found = loaded.onPage ?? loaded.scraper ?? loaded.default;
  if (typeof found !== 'function') {
    throw new WebfarerError('job-invalid', `${scraper.path} exports no function onPage`, {
      next: 'Write: export async function onPage(page, { follow, push }) { … }',
    });
  }
  const { onResponse, onItem, items } = loaded;
  for (const [name, hook] of Object.entries({ onResponse, onItem }))
    if (hook !== undefined && typeof hook !== 'function')
      throw new WebfarerError('job-invalid', `${scraper.path} exports ${name}, but not as a function`);
  if (items !== undefined && !isSchema(items))
    throw new WebfarerError('job-invalid', `${scraper.path} exports items, but not as a schema`, {
      next: 'Export a Standard Schema (zod, valibot, arktype), or rename the export.',
    });
  const inBrowser = checkedInBrowser(loaded.inBrowser, scraper.path);
  return {
    onPage: found as Scraper,
    ...(inBrowser ? { inBrowser } : {}),
    ...(onResponse ? { onResponse: onResponse as ResponseHook } : {}),
    ...(onItem ? { onItem: onItem as ItemHook } : {}),
    ...(items ? { checkItem: checkerOf(items) } : {}),
  };
}
