import { z } from 'zod';
import { bands, entryKinds, mostRequestBytes, type PageRequest } from '../base/entry.ts';
import { isHostKey } from '../url/host.ts';
import {
  droppedReasons,
  doneReasons,
  failedReasons,
  refusedReasons,
  renderWhys,
  waitReasons,
} from '../base/reasons.ts';
import {
  type FailedTry,
  type FetchedFacts,
  mostTries,
  notSavedReasons,
  type PageRecord,
  type PageResource,
  type RenderedFacts,
  renditionKinds,
  type SavedAt,
  type SavedRendition,
} from '../crawl/record.ts';
import { isCrawlUrl, maxUrlBytes, originOf } from '../url/url.ts';
import { frameBounds as most } from './frames.ts';

/**
 * The values that frames are made of. Whatever passes here reaches store scripts and tables as it is, and those keep
 * several values in one text: so ids have no white space, hosts and URLs are what the parser writes, and numbers are
 * small enough that sums of them stay exact.
 */
export const id = z.int().min(0);
/** Of a file, or a place in it. */
export const size = z.int().min(0).max(most.fileBytes);
export const count = z.int().min(0).max(most.count);
export const name = z.string().min(1).max(most.name);
/** A crawl is known by the name of its job, which may be any text. */
export const crawlId = name;
/** Ids of leases, workers and sessions. */
export const token = name.regex(/^[\x21-\x7e]+$/);
export const text = z.string().max(most.text);
/** Goes into packed texts by way of an encoder that refuses half of a surrogate pair. */
const label = text.transform((value) => value.toWellFormed());
export const spanMs = z.number().min(0).max(most.spanMs);
export const timeMs = z.number().min(0).max(most.timeMs);

export const host = z
  .string()
  .max(maxUrlBytes)
  .refine(isHostKey, { error: 'not a host name as URLs have it' });
export const url = z
  .string()
  .max(maxUrlBytes)
  .refine(isCrawlUrl, { error: 'not an http(s) URL as the parser writes it' });
export const origin = z.string().max(maxUrlBytes).refine(isOrigin, { error: 'not an http(s) origin' });

function isOrigin(value: string): boolean {
  const root = `${value}/`;
  return isCrawlUrl(root) && originOf(root) === value;
}

/** Where a coordinator is reached. */
export const address = z
  .string()
  .max(maxUrlBytes)
  .regex(/^(?:https?|wss?):\/\/[\x21-\x7e]+$/);

export const keys = <T extends object>(table: T) => z.enum(Object.keys(table) as [keyof T & string]);
export const failed = keys(failedReasons);

export const leaseRef = z.object({ id: token, crawl: crawlId, host, fence: id });

/** A path inside the folder it belongs to: relative, and never up. */
export const insidePath = z
  .string()
  .min(1)
  .max(4_096)
  .refine(isInside, { error: 'not a path inside the crawl folder' });

function isInside(path: string): boolean {
  if (/^[/\\]|^[A-Za-z]:|[\0\n\r]/.test(path)) return false;
  return path.split(/[/\\]/).every((part) => part !== '..');
}

const revisit = z.object({
  url,
  startedAtMs: timeMs,
  digest: text.optional(),
  original: z
    .object({
      file: insidePath,
      offset: size,
      length: size,
      status: z.int().min(0).max(999),
      mime: text,
    })
    .optional(),
});

const rendition = z.object({
  kind: z.enum(renditionKinds),
  mime: text,
  after: size,
  length: size,
  digest: text,
} satisfies Fields<SavedRendition>);

const savedAt = z.object({
  saver: name,
  file: insidePath,
  member: name.optional(),
  shared: z.literal(true).optional(),
  offset: size.optional(),
  length: size.optional(),
  spooled: size.optional(),
  revisit: revisit.optional(),
  renditions: z.array(rendition).max(renditionKinds.length).optional(),
} satisfies Fields<SavedAt>);

const places = z.array(savedAt).max(100);

const resource = z.object({
  url,
  status: z.int().min(0).max(999),
  mime: text.optional(),
  bytes: z.int().min(0).max(most.pageBytes),
  digest: text.optional(),
  startedAtMs: timeMs,
  durationMs: spanMs,
  saved: places,
} satisfies Fields<PageResource>);

/** Of what a page was not given, and of its errors. */
const mostNotes = 100;
const rendered = z.object({
  durationMs: spanMs,
  loaded: count,
  leftOut: z
    .array(z.object({ url: text, why: text }))
    .max(mostNotes)
    .optional(),
  movedTo: text.optional(),
  restless: z.literal(true).optional(),
  errors: z.array(text).max(mostNotes).optional(),
} satisfies Fields<RenderedFacts>);

const fetched = z.object({
  by: token.optional(),
  waitedMs: spanMs.optional(),
  reused: z.literal(true).optional(),
  dnsMs: spanMs.optional(),
  connectMs: spanMs.optional(),
  tlsMs: spanMs.optional(),
} satisfies Fields<FetchedFacts>);

const failedTry = z.object({
  atMs: timeMs,
  tookMs: spanMs.optional(),
  reason: failed,
  detail: text.optional(),
  by: token,
} satisfies Fields<FailedTry>);

type Fields<T> = { [K in keyof Required<T>]: z.ZodType };

/** Whether the URL fits is looked at where offers are decoded. */
const request = z
  .strictObject({
    method: z.literal('POST').optional(),
    type: text.optional(),
    body: text.optional(),
    headers: z.record(name, text).optional(),
    data: z.unknown().optional(),
  } satisfies Fields<PageRequest>)
  .refine((value) => JSON.stringify(value).length <= mostRequestBytes, { error: 'too large a request' });

export const record = z.object({
  url,
  verdict: z.enum(['done', 'failed', 'refused']),
  reason: keys({ ...doneReasons, ...failedReasons, ...refusedReasons }),
  detail: text.optional(),
  kind: z.enum(entryKinds),
  depth: count,
  label: label.optional(),
  request: request.optional(),
  referrer: url.optional(),
  attempts: count,
  status: z.int().min(0).max(999).optional(),
  mime: text.optional(),
  mimeDetected: text.optional(),
  charset: text.optional(),
  language: text.optional(),
  server: text.optional(),
  tls: text.optional(),
  redirectTo: text.optional(),
  bytes: z.int().min(0).max(most.pageBytes),
  truncated: z.enum(['length', 'time', 'disconnect']).optional(),
  cut: z.enum(['elements', 'text']).optional(),
  startedAtMs: timeMs,
  durationMs: spanMs,
  firstByteMs: spanMs.optional(),
  fetched: fetched.optional(),
  tries: z.array(failedTry).max(mostTries).optional(),
  ip: text.optional(),
  digest: text.optional(),
  title: text.optional(),
  etag: text.optional(),
  lastModified: text.optional(),
  signals: z.array(text).max(1_000).optional(),
  looksEmpty: z.boolean().optional(),
  rendered: rendered.optional(),
  renderedWhy: keys(renderWhys).optional(),
  change: z.enum(['new', 'changed', 'unchanged']).optional(),
  capturedAtMs: timeMs.optional(),
  saved: places.optional(),
  notSaved: z.enum(notSavedReasons).optional(),
  resources: z.array(resource).max(most.resources).optional(),
  links: count,
  items: count,
  droppedItems: z.record(z.string().max(100), count).optional(),
} satisfies Fields<PageRecord>);

/** URLs of offers are validated where offers are decoded, which drops the malformed ones. */
export const offers = z
  .array(
    z
      .tuple([
        z.enum(entryKinds),
        count,
        z.number().min(0),
        count,
        z.string().min(1),
        label.nullable().optional(),
        z.literal(bands).nullable().optional(),
        request.optional(),
      ])
      .readonly(),
  )
  .max(most.offers);

export const dropped = z.partialRecord(keys(droppedReasons), count);

export const robots = z.object({
  origin,
  fetchedAtMs: timeMs,
  state: z.enum(['rules', 'absent', 'unreachable']),
  status: z.int().min(0).max(999).optional(),
  body: z.string().max(1_048_576),
  tries: count.optional(),
  firstTriedAtMs: timeMs.optional(),
  detail: text.optional(),
});

export const news = z.object({
  /** A report that waited long in an outbox has a request that ended long ago: no reason to refuse it. */
  endedAgoMs: z
    .number()
    .min(0)
    .transform((ms) => Math.min(ms, most.spanMs))
    .nullable(),
  gapMs: spanMs,
  why: keys(waitReasons),
  health: z.enum(['ok', 'trouble', 'wait', 'none']),
  reason: failed.optional(),
  detail: text.optional(),
});
