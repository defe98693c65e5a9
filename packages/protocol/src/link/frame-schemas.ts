import { z } from 'zod';
import { WebfarerError } from '../base/errors.ts';
import { waitReasons } from '../base/reasons.ts';
import { crawlStates } from '../crawl/record.ts';
import { resourceFrame } from '../resources/resource-frame.ts';
import {
  address,
  count,
  crawlId,
  dropped,
  failed,
  host,
  id,
  keys,
  leaseRef,
  name,
  news,
  offers,
  origin,
  record,
  robots,
  size,
  spanMs,
  text,
  timeMs,
  token,
  url,
} from './frame-fields.ts';
import {
  type CoordinatorFrame,
  type ForeignHello,
  frameBounds as most,
  linkVersion,
  type WorkerFrame,
} from './frames.ts';

/** What a frame may be. What is not named here is left out, so that a later version may say more. */
const foreignHello = z.object({
  type: z.literal('hello'),
  v: z.number(),
  version: z.string().max(most.name).catch('unknown'),
});

const settlement = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('outcome'),
    record,
    offers,
    edges: z.tuple([count, count]),
    items: z.array(z.unknown()).max(most.items),
    dropped,
  }),
  z.object({
    kind: z.literal('retry'),
    url,
    reason: failed,
    detail: text.optional(),
    startedAtMs: timeMs.optional(),
    durationMs: spanMs.optional(),
  }),
]);

const report = leaseRef.extend({
  settled: z.array(settlement).max(most.settled),
  robots: z.array(robots).max(most.settled).optional(),
  offers: offers.optional(),
  cookies: z
    .array(z.object({ url, lines: z.array(text).max(most.cookies) }))
    .max(most.settled)
    .optional(),
  cookiesLeftOut: count.optional(),
  trimmedIn: name.optional(),
  news,
  begun: z.boolean().optional(),
  close: z.boolean(),
});

const leases = z.array(leaseRef).max(most.leases);

const failure = z.object({ code: name, message: text, next: text.optional(), stack: text.optional() });

const look = z.object({
  inFlight: count,
  waiting: z
    .array(
      z.object({
        crawl: crawlId,
        host,
        queued: count,
        dueInMs: spanMs,
        why: keys(waitReasons),
        dead: z.boolean(),
        reason: failed.optional(),
        detail: text.optional(),
      }),
    )
    .max(most.waits),
  written: z
    .array(z.object({ crawl: crawlId, files: count, bytes: size, open: z.boolean() }))
    .max(most.crawls),
  unable: z
    .array(z.object({ crawl: crawlId, code: name, message: text }))
    .max(most.crawls)
    .optional(),
  blocking: z
    .array(z.object({ crawl: crawlId, message: text }))
    .max(most.crawls)
    .optional(),
  pause: z
    .object({
      cause: z.enum(['disk', 'no-network', 'object-storage', 'saving', 'store']),
      text,
      retryInMs: spanMs.optional(),
    })
    .optional(),
});

const workerFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    v: count,
    worker: token.regex(/^[\w.:-]+$/),
    session: token,
    version: name,
    connections: count.max(100_000),
    holds: z.array(token).max(most.leases),
    holdsAll: z.boolean(),
    keeps: z.array(name).max(most.nonces).optional(),
    key: token.optional(),
    asksSecrets: z.boolean().optional(),
    asLeased: z.array(crawlId).max(most.crawls).optional(),
  }),
  z.object({
    type: z.literal('lease'),
    id,
    hosts: count.min(1).max(most.hosts),
    urlsPerHost: count.min(1).max(most.urlsPerHost),
    without: z.array(crawlId).max(most.crawls).optional(),
  }),
  z.object({ type: z.literal('leaseHost'), id, crawl: crawlId, host }),
  z.object({ type: z.literal('robots'), id, origin }),
  z.object({ type: z.literal('previous'), id, crawl: crawlId, url, queuedAs: z.boolean() }),
  z.object({ type: z.literal('secrets'), id, crawl: crawlId }),
  z.object({ type: z.literal('renew'), id, leases }),
  z.object({
    type: z.literal('bodies'),
    id,
    bodies: z
      .array(
        z.object({
          crawl: crawlId,
          place: z.string().min(1).max(4_096),
          bytes: size.min(1),
          digest: z.string().regex(/^[0-9a-f]{64}$/),
          at: size,
          length: size.min(1),
        }),
      )
      .min(1)
      .max(most.bodies),
    data: z.string().max(Math.ceil((most.bodyBytes * 4) / 3) + 4),
  }),
  z.object({
    type: z.literal('report'),
    id,
    reports: z.array(report).max(most.reports),
    edges: z.string(),
  }),
  z.object({ type: z.literal('release'), id, leases, all: z.boolean() }),
  z.object({ type: z.literal('dry'), hosts: count }),
  z.object({ type: z.literal('look'), look }),
  z.object({ type: z.literal('resources'), frame: resourceFrame }),
  z.object({ type: z.literal('bye'), reason: text, failure: failure.optional() }),
]);

const peers = z.array(z.object({ id: name, url: address })).max(most.peers);
/** Parts of a job that coordinators of earlier versions do not have. */
const sinceFirstVersion = {
  screenshots: z.array(z.unknown()).default([]),
  pdf: z.boolean().default(false),
  steps: z.array(z.unknown()).default([]),
  itemKey: z.array(z.unknown()).default([]),
};
const crawls = z
  .array(
    z.object({
      id: name,
      nonce: z.string().max(most.name).default(''),
      revision: name,
      secrets: name.optional(),
      withheld: z.boolean().optional(),
      // Made by the coordinator's own schema; a worker that is told what to fetch has to believe how.
      job: z.looseObject({ name: z.string(), ...sinceFirstVersion }),
      seeds: z.array(url),
      userAgent: text,
      urlsPerHost: count.min(1).max(most.urlsPerHost),
      state: z.enum(crawlStates),
    }),
  )
  .max(most.crawls);

const coordinatorFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    v: count,
    coordinator: name,
    version: name,
    trust: z.enum(['own', 'volunteer']),
    crawls,
    over: z.boolean().optional(),
    peers,
    heartbeatMs: z.int().min(10).max(600_000),
    resourcesEveryMs: z.int().min(100).max(600_000).optional(),
  }),
  z.object({ type: z.literal('answer'), id, value: z.unknown() }),
  z.object({ type: z.literal('error'), id: id.optional(), code: name, message: text, next: text.optional() }),
  z.object({ type: z.literal('wake') }),
  z.object({
    type: z.literal('release'),
    crawl: name.optional(),
    hosts: z.array(text).max(most.patterns).optional(),
  }),
  z.object({ type: z.literal('water'), hosts: count }),
  z.object({ type: z.literal('crawls'), crawls }),
  z.object({
    type: z.literal('crawl-news'),
    crawls,
    gone: z.array(crawlId).max(most.crawls),
    resting: z.array(crawlId).max(most.crawls),
    over: z.boolean(),
  }),
  z.object({ type: z.literal('deleted'), nonces: z.array(name).max(most.nonces) }),
  z.object({ type: z.literal('peers'), peers }),
  z.object({ type: z.literal('switch'), to: address.optional() }),
  z.object({ type: z.literal('drain'), now: z.boolean() }),
  z.object({ type: z.literal('bye'), reason: text }),
]);

/** Throws `frame-invalid`, which says what is wrong with it. */
export function readWorkerFrame(data: string): WorkerFrame {
  const value = parsed(data);
  return foreign(value) ?? (checked(workerFrame, value) as WorkerFrame);
}

/** The number of a request that was not understood otherwise, so that the side that waits for it learns why. */
export function requestIdIn(data: string): number | undefined {
  try {
    return id.safeParse((parsed(data) as { id?: unknown } | null)?.id).data;
  } catch {
    return undefined;
  }
}

/** Only of a hello: a schema that fails is expensive, and every other frame would fail it. */
function foreign(value: unknown): ForeignHello | undefined {
  if ((value as { type?: unknown } | null)?.type !== 'hello') return undefined;
  const { success, data } = foreignHello.safeParse(value);
  return success && data.v !== linkVersion ? { ...data, type: 'foreign-hello' } : undefined;
}

export function readCoordinatorFrame(data: string): CoordinatorFrame {
  return checked(coordinatorFrame, parsed(data)) as CoordinatorFrame;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw invalid('it is not valid JSON');
  }
}

function checked(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw invalid(`${issue?.path.join('.') || 'the frame'}: ${issue?.message ?? 'malformed'}`);
}

function invalid(what: string): WebfarerError {
  return new WebfarerError('frame-invalid', `a frame is malformed: ${what}`, {
    next: 'Use the same version of Webfarer on both sides.',
  });
}
