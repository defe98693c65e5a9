import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PageRecord, PageResource, SavedAt } from '@webfarer/protocol';
import type { CapturePlace } from '../archive/archive.ts';
import type { CrawlSource } from '../archive/own-captures.ts';
import { choose, foldedName, type NameOwners } from '../save/names/name-registry.ts';
import { mirrorName } from './mirror-name.ts';

/** The page that leads to all others. */
export const frontPage = 'index.html';

/** Takes over the records of a crawl; the bodies that it left out as unchanged are where the crawls before it have them. */
export async function takeOver(
  db: DatabaseSync,
  sources: readonly CrawlSource[],
  { asShown }: { asShown: boolean },
): Promise<void> {
  const [own, ...earlier] = sources;
  if (own) await takeRecords(db, own.records());
  if (own && asShown) await takeShown(db, own.records());
  const anyElsewhere = db.prepare('SELECT 1 FROM urls WHERE elsewhere = 1 AND place IS NULL LIMIT 1');
  for (const [n, source] of earlier.entries()) {
    if (anyElsewhere.get() === undefined) return;
    await findUnchanged(db, source, n + 1);
  }
}

async function takeRecords(db: DatabaseSync, records: AsyncIterable<PageRecord>): Promise<void> {
  const columns =
    '(url, mime, charset, place, redirect, entrance, title, digest, elsewhere) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const own = db.prepare(`INSERT OR REPLACE INTO urls ${columns}`);
  const other = db.prepare(`INSERT OR IGNORE INTO urls ${columns}`);
  const orNull = (fields: (SQLInputValue | undefined)[]) => fields.map((field) => field ?? null);
  for await (const record of records) {
    const { url, kind, redirectTo, depth, title, charset, digest } = record;
    if (kind === 'sitemap' || record.verdict !== 'done') continue;
    const entrance = kind === 'page' && depth === 0 ? 1 : 0;
    const place = redirectTo === undefined ? placeOf(record) : undefined;
    const elsewhere = place === undefined && isUnchanged(record) ? 1 : 0;
    const mime = record.mime || record.mimeDetected;
    if (place !== undefined || redirectTo !== undefined || elsewhere === 1)
      own.run(...orNull([url, mime, charset, place, redirectTo, entrance, title, digest, elsewhere]));
    for (const resource of record.resources ?? []) {
      const at = placeOf(resource);
      const none = undefined;
      if (at !== undefined)
        other.run(...orNull([resource.url, resource.mime, none, at, none, 0, none, resource.digest, 0]));
    }
  }
}

/** Of pages that were shown in a browser, what it made of them takes the place of what came. */
async function takeShown(db: DatabaseSync, records: AsyncIterable<PageRecord>): Promise<void> {
  const set = db.prepare(
    "UPDATE urls SET place = ?, mime = 'text/html', charset = 'utf-8', digest = ?, shown = 1 WHERE url = ? AND place IS NOT NULL",
  );
  for await (const { url, saved = [] } of records) {
    for (const { file, offset = 0, renditions = [] } of saved) {
      const dom = renditions.find(({ kind }) => kind === 'dom');
      if (dom)
        set.run(JSON.stringify({ file, offset: offset + dom.after, length: dom.length }), dom.digest, url);
    }
  }
}

/** Looks in the records of an earlier crawl for the bodies that are still missing. */
async function findUnchanged(
  db: DatabaseSync,
  { archive, records }: CrawlSource,
  crawl: number,
): Promise<void> {
  const missing = db.prepare(
    'SELECT 1 FROM urls WHERE url = ? AND elsewhere = 1 AND place IS NULL AND (digest IS NULL OR digest IS ?)',
  );
  const set = db.prepare('UPDATE urls SET place = ?, crawl = ? WHERE url = ?');
  for await (const record of records()) {
    if (missing.get(record.url, record.digest ?? null) === undefined) continue;
    const place = placeOf(record);
    // The archives of old crawls are deleted to save space.
    if (place === undefined || !(await archive.find((JSON.parse(place) as CapturePlace).file))) continue;
    set.run(place, crawl, record.url);
  }
}

/** A body that the crawl did not keep again: the server or a comparison said that it is the one of an earlier crawl. */
function isUnchanged({ reason, saved = [] }: PageRecord): boolean {
  return reason === 'not-modified' || saved.some(({ revisit }) => revisit && !revisit.original);
}

/** Where the body of an answer 2xx is in its folder, as JSON; a repeated one is where it was written first. */
function placeOf({ status = 0, saved = [] }: Pick<PageResource | PageRecord, 'status' | 'saved'>) {
  if (status < 200 || status > 299) return undefined;
  for (const at of saved) {
    // What a user's own saver keeps is not ours to read.
    if (at.spooled !== undefined || !/^(?:warc|files|tar)/.test(at.saver)) continue;
    const place = bodyPlace(at);
    if (place) return JSON.stringify(place);
  }
  return undefined;
}

function bodyPlace({ file, offset, length, revisit }: SavedAt): CapturePlace | undefined {
  if (revisit) return revisit.original;
  return { file, ...(offset === undefined ? {} : { offset }), ...(length === undefined ? {} : { length }) };
}

/** In the order of the URLs, so that it does not matter which was fetched first. Answers a digest of the map. */
export function giveNames(db: DatabaseSync): string {
  const owner = db.prepare('SELECT owner FROM names WHERE key = ?');
  const take = db.prepare('INSERT INTO names VALUES (?, ?)');
  const set = db.prepare('UPDATE urls SET path = ? WHERE url = ?');
  const next = db.prepare(
    'SELECT url, mime, place, redirect FROM urls WHERE url > ? ORDER BY url LIMIT 1000',
  );
  const inKnownFolders = folderNames(db);
  const get = (key: number) => (owner.get(key) as { owner: number } | undefined)?.owner;
  const owners: NameOwners = { get, has: (key) => get(key) !== undefined };
  const claim = (wanted: string, url: string): string => {
    const { name, taken } = choose(owners, wanted, url);
    for (const [key, who] of taken) take.run(key, who);
    return inKnownFolders(name);
  };
  const digest = createHash('sha256');
  claim(frontPage, '');
  for (let last = '', more = true; more; ) {
    const rows = next.all(last) as {
      url: string;
      mime: string | null;
      place: string | null;
      redirect: string | null;
    }[];
    for (const { url, mime, place, redirect } of rows) {
      const path = place === null ? undefined : claim(mirrorName(url, mime ?? ''), url);
      if (path !== undefined) set.run(path, url);
      digest.update(`${url}\n${path ?? ''}\n${redirect ?? ''}\n`);
      last = url;
    }
    more = rows.length > 0;
  }
  return digest.digest('hex').slice(0, 16);
}

/** Folders that differ only in case are one folder on some systems, so they are everywhere. */
function folderNames(db: DatabaseSync): (name: string) => string {
  const look = db.prepare('SELECT name FROM folders WHERE folded = ?');
  const add = db.prepare('INSERT INTO folders VALUES (?, ?)');
  return (name) => {
    const parts = name.split('/');
    let folder = '';
    for (const part of parts.slice(0, -1)) {
      const wanted = folder === '' ? part : `${folder}/${part}`;
      const known = look.get(foldedName(wanted)) as { name: string } | undefined;
      if (!known) add.run(foldedName(wanted), wanted);
      folder = known?.name ?? wanted;
    }
    return folder === '' ? name : `${folder}/${parts.at(-1)}`;
  };
}
