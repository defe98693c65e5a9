import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebfarerError } from '@webfarer/protocol';
import { type Hooks, loadScraper } from '@webfarer/worker';
import { type Handlers, hooksOf } from './handlers.ts';

/** The same in every copy of this package: a program may import another one than the command it is given to. */
const loading = Symbol.for('webfarer.loading-handlers');

export const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file);

/**
 * The code in a module: `job`, the options as `crawl` takes them, or the exports of a scraper module (`onPage`,
 * `onResponse`, `onItem`, `items`, and `inBrowser`, which does not run here). A program that calls `crawl` while it is loaded is refused before its first request.
 */
export async function loadModule(file: string, cwd: string): Promise<Hooks> {
  const path = resolve(cwd, file);
  const flags = globalThis as { [loading]?: string };
  flags[loading] = file;
  try {
    const { job } = (await import(pathToFileURL(path).href)) as { job?: Handlers & Pick<Hooks, 'normalise'> };
    if (typeof job !== 'object')
      return await loadScraper({ kind: 'module', path: basename(path) }, dirname(path));
    const { normalise } = job;
    if (!job.onPage)
      throw new WebfarerError('usage', `The job that ${file} exports has no onPage.`, {
        next: 'Add onPage to it, or name the scraper module itself.',
      });
    return { ...hooksOf(job), ...(typeof normalise === 'function' ? { normalise } : {}) };
  } catch (error) {
    if (error instanceof Error && (error as { code?: unknown }).code === 'usage') throw error;
    if (error instanceof WebfarerError) throw error;
    throw new WebfarerError('usage', `Cannot load ${file}: ${(error as Error).message}`, { cause: error });
  } finally {
    delete flags[loading];
  }
}

/** Called where a crawl begins: a file that is only loaded for its handlers must not begin one. */
export function refuseWhileLoading(): void {
  const file = (globalThis as { [loading]?: string })[loading];
  if (file === undefined) return;
  throw new WebfarerError(
    'usage',
    `${file} starts a crawl when it is loaded, so its handlers cannot be used alone.`,
    {
      next: 'Export the options as `job` from a file of their own, and call crawl(job) in another file.',
    },
  );
}
