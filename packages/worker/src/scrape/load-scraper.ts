import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Job, WebfarerError } from '@webfarer/protocol';
import { idsScraper, linksScraper, siteScraper } from './built-in.ts';
import type { Scraper } from './scraper.ts';

/** The scraper a job names: a built-in one, or a user's module beside the job file. */
export async function loadScraper(scraper: Job['scraper'], baseFolder: string): Promise<Scraper> {
  if (scraper.kind === 'links') return linksScraper(scraper);
  if (scraper.kind === 'ids') return idsScraper(scraper);
  if (scraper.kind === 'site') return siteScraper(scraper);
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
  return found as Scraper;
}
