import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Entry, type Url, WebfarerError } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import {
  type Exchange,
  type HandlingContext,
  type Page,
  notShown,
  readStored,
  type Stored,
  storedPage,
} from '@webfarer/worker';
import { findRenditions, openArchive, readWarc, renditionOf } from '@webfarer/worker/archive';
import { readFolder } from '../local/folder-reader.ts';
import { contextOutside } from './outside-context.ts';
import { storedRecords } from './stored-records.ts';

/** What a page cannot say itself: how it was found and how it was served. */
export interface PageOrigin {
  label?: string;
  depth?: number;
  referrer?: string;
  status?: number;
  /** `Content-Type` among them says what the body is; without it a body is HTML. */
  headers?: Record<string, string>;
}

/** A page as a handler gets it, made from its source, for unit tests. */
export async function pageFrom(source: string | Buffer, url: string, facts?: PageOrigin): Promise<Page>;
/**
 * From a WARC file: the response at this offset (`webfarer warc ls` lists them), as a browser showed it where one did.
 */
export async function pageFrom(warc: string, offset: number, facts?: PageOrigin): Promise<Page>;
/** From a crawl folder: the page of this URL, with the label and depth it had there. */
export async function pageFrom(folder: string, url: string): Promise<Page>;
export async function pageFrom(
  from: string | Buffer,
  where: string | number,
  facts: PageOrigin = {},
): Promise<Page> {
  if (typeof where === 'number') return await pageFromWarc(String(from), where, facts);
  if (typeof from === 'string' && (await isFolder(from))) return await pageFromFolder(from, where);
  if (typeof from === 'string' && /^[^<\n]*\.crawl\/?$/.test(from))
    throw new WebfarerError('not-found', `There is no crawl folder ${from}.`);
  const url = urlOf(where);
  const headers = Object.entries(facts.headers ?? {});
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const exchange: Exchange = {
    url,
    status: facts.status ?? 200,
    statusText: '',
    headers: isTyped ? headers : [['Content-Type', 'text/html; charset=utf-8'], ...headers],
    requestHead: '',
    body: Buffer.from(from as string),
    unread: false,
    startedAtMs: 0,
    durationMs: 0,
  };
  return await shown(await contextOutside({}), entryWith(url, facts), { exchange, ...notShown });
}

async function pageFromWarc(file: string, offset: number, facts: PageOrigin): Promise<Page> {
  const path = resolve(file);
  const records = readWarc(path, { from: offset });
  const { value } = await records.next();
  await records.return(undefined);
  const form = value && renditionOf(value);
  // WARC 1.0 has examples with angle brackets, and old writers follow them.
  const url = urlOf((form?.url ?? value?.field('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1'));
  const at = {
    saver: 'warc',
    file: basename(path),
    offset,
    renditions: form ? [] : await findRenditions(path, offset),
  };
  const stored = await readStored(openArchive(dirname(path)), at, { url });
  return await shown(await contextOutside({}), entryWith(url, facts), stored);
}

async function pageFromFolder(folder: string, text: string): Promise<Page> {
  const reader = await readFolder(resolve(folder));
  try {
    const context = await contextOutside({}, reader);
    const url = context.normalise(text) ?? urlOf(text);
    const stored = storedRecords(resolve(folder), reader);
    try {
      const found = await stored.find(url);
      if (found) return await shown(context, found.entry, await found.read());
      throw new WebfarerError('not-found', `${folder} holds no body of ${url}.`, {
        next: `webfarer explain ${url} ${folder}`,
      });
    } finally {
      await stored.close();
    }
  } finally {
    await reader.close();
  }
}

async function shown(context: HandlingContext, entry: Entry, stored: Stored): Promise<Page> {
  return (await storedPage(context, { entry, stored })).page;
}

function entryWith(url: Url, { label, depth = 0, referrer }: PageOrigin): Entry {
  return {
    url,
    kind: 'page',
    depth,
    cost: 0,
    hops: 0,
    attempt: 0,
    ...(label === undefined ? {} : { label }),
    ...(referrer === undefined ? {} : { referrer: urlOf(referrer) }),
  };
}

function urlOf(text: string): Url {
  const url = normaliser({ enabled: false, strip: [], sort: false })(text);
  if (url !== undefined) return url;
  throw new WebfarerError('usage', `"${text}" is not a web address.`, {
    next: "Write it whole: pageFrom(html, 'https://example.org/page')",
  });
}

async function isFolder(path: string): Promise<boolean> {
  if (path.length > 4_096 || path.includes('\0')) return false;
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
