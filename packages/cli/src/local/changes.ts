import { isContent, type UrlStory } from '@webfarer/coordinator';
import { type PageRecord, systemClock, WebfarerError } from '@webfarer/protocol';
import type { Change } from '../local-port.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { type FolderFrontier, readFrontier } from './open-frontier.ts';

export interface ChangesOptions {
  folder: string;
  manifest: Manifest;
  /** The folder of the crawl before. */
  previous: string;
}

/**
 * What changed since the previous crawl. First what is there now, as its records say; then, in a second pass
 * over the previous crawl, what is there no more. Only pages and what belongs to them, no sitemaps.
 */
export async function* changesIn({ folder, manifest, previous }: ChangesOptions): AsyncIterable<Change> {
  const now = await snapshotOf(folder);
  const before = await snapshotOf(previous);
  try {
    for await (const record of now.results.records(manifest.id, { verdict: 'done' })) {
      if (record.change && isPage(record)) yield { change: record.change, ...shown(record) };
    }
    const whole = (await now.totals(manifest.id)).state === 'finished';
    const id = manifest.previous?.id ?? manifest.id;
    for await (const record of before.results.records(id, { verdict: 'done' })) {
      if (!isContent(record) || !isPage(record)) continue;
      const missing = whatBecame(await now.look(manifest.id, record.url), whole);
      if (missing) yield { url: record.url, ...missing };
    }
  } finally {
    await Promise.all([now.close(), before.close()]);
  }
}

async function snapshotOf(folder: string): Promise<FolderFrontier> {
  const manifest = await readManifest(folder);
  if (!manifest) throw new WebfarerError('not-found', `${folder} is not a crawl folder`);
  return await readFrontier({ folder, manifest }, { clock: systemClock(), snapshot: true });
}

function isPage({ kind }: PageRecord): boolean {
  return kind === 'page' || kind === 'requisite';
}

function shown({ url, status, title }: PageRecord): Omit<Change, 'change'> {
  return { url, ...(status === undefined ? {} : { status }), ...(title === undefined ? {} : { title }) };
}

/** Undefined when the page is still there. Trouble and a crawl that is not over say nothing about a page. */
function whatBecame(story: UrlStory | undefined, whole: boolean): Omit<Change, 'url'> | undefined {
  if (!story)
    return whole ? { change: 'gone', why: 'no longer linked' } : { change: 'unclear', why: 'not reached' };
  if (story.state !== 'settled') return { change: 'unclear', why: 'not fetched yet' };
  const { record } = story;
  if (isContent(record)) return undefined;
  const { verdict, status, redirectTo, reason } = record;
  const seen = status === undefined ? {} : { status };
  if (verdict !== 'done') return { change: 'unclear', why: `${verdict}: ${reason}`, ...seen };
  return { change: 'gone', why: redirectTo ? `redirects to ${redirectTo}` : `answered ${status}`, ...seen };
}
