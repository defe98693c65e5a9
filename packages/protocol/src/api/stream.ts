import { z } from 'zod';
import { errorCodes, type ErrorCode } from '../base/errors.ts';
import { crawlStates } from '../crawl/record.ts';
import { crawlName as crawl, recordFilter } from './crawls.ts';
import { route } from './route.ts';

/**
 * The frames of `/v1/stream`: JSON texts on a WebSocket, many subscriptions on one socket. Every subscription begins with
 * a `snapshot` or, behind a token that is still good, with `resumed`; every later frame carries the token behind it. A
 * subscription that is made again with that token continues there, on this socket, on another one or at another
 * coordinator of the store: nothing is skipped and nothing comes twice.
 */
export const streamPath = '/v1/stream';

/** Of one frame that a client sends. */
export const maxClientFrameBytes = 65_536;
/** Of a token, as text. */
const maxTokenChars = 20_000;

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];
const syncToken = z.string().min(1).max(maxTokenChars).describe('Opaque: where a reader stands');
const subscription = z.int().min(1).max(2_147_483_647).describe('Chosen by the client');

const resultKinds = ['record', 'item', 'links'] as const;

/** How often a subscription that shows a state is told of changes, at most. */
const minIntervalMs = z.int().min(100).max(60_000).default(500);

/** Which crawls, of a list of thousands. */
const crawlSearch = {
  states: z.array(z.enum(crawlStates)).max(crawlStates.length).default([]).describe('Empty: in any state'),
  search: z
    .string()
    .max(300)
    .default('')
    .describe('Only crawls with this in their name or a tag, whatever the case'),
  offset: z.int().min(0).max(10_000_000).default(0).describe('Crawls of the list before the first one'),
};

/** What can be subscribed to. */
export const streamTopic = z.discriminatedUnion('topic', [
  z.strictObject({
    topic: z.literal('results').describe('What a crawl recorded, in the order of each group'),
    crawl,
    kinds: z.array(z.enum(resultKinds)).min(1).max(3).default(['record']),
    filter: recordFilter.default({}),
    from: z.enum(['start', 'now']).default('start').describe('Where to begin without a token'),
    maxOutcomes: z.int().min(1).max(500).default(200).describe('In one frame, as long as it catches up'),
  }),
  z.strictObject({
    topic: z.literal('status').describe('How far a crawl has come: the fields of its snapshot'),
    crawl,
    minIntervalMs,
  }),
  z.strictObject({
    topic: z.literal('hosts').describe('The hosts of a crawl that are due next, by name'),
    crawl,
    limit: z.int().min(1).max(200).default(50),
    minIntervalMs,
  }),
  z.strictObject({
    topic: z.literal('list').describe('Crawls, or documents of one kind, by id'),
    list: z.string().regex(/^[a-z-]{1,40}$/),
    minIntervalMs,
  }),
  z.strictObject({
    topic: z
      .literal('crawls')
      .describe('A part of the list of crawls, those that run first, then the newest, with counts of all'),
    ...crawlSearch,
    limit: z.int().min(1).max(500).default(100),
    minIntervalMs,
  }),
  z.strictObject({
    topic: z.literal('resources').describe('Load of coordinators and workers, by name'),
    minIntervalMs,
  }),
  z.strictObject({
    topic: z
      .literal('tasks')
      .describe('What goes on in this coordinator: crawls, and the hosts that workers have'),
    crawl: crawl.optional().describe('Only of this crawl'),
    minIntervalMs,
  }),
  z.strictObject({
    topic: z.literal('events').describe('What happens in this coordinator, as in its log'),
    crawl: crawl.optional().describe('Only events of this crawl'),
  }),
]);
export type StreamTopic = z.infer<typeof streamTopic>;
export type StreamTopicInput = z.input<typeof streamTopic>;
export const streamTopics = [
  'results',
  'status',
  'hosts',
  'list',
  'crawls',
  'resources',
  'tasks',
  'events',
] as const;

/** What a client sends. */
export const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello').describe('The first frame where the request had no Authorization header'),
    token: z.string().min(1).max(512),
  }),
  z.strictObject({
    type: z.literal('subscribe'),
    id: subscription,
    on: streamTopic,
    after: syncToken.optional().describe('Continue behind this token'),
    window: z
      .int()
      .min(1)
      .max(64)
      .optional()
      .describe('The most frames that may be sent ahead of `ack`; absent: as many as the socket takes'),
  }),
  z.strictObject({
    type: z.literal('ack').describe('So many more frames of a subscription were handled'),
    id: subscription,
    frames: z.int().min(1).max(64),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), id: subscription }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;
export type ClientFrameInput = z.input<typeof clientFrame>;

const place = z.object({
  group: z.int(),
  position: z
    .string()
    .describe(
      'Where the outcome stands: GROUP-MAJOR-MINOR. Two outcomes of a crawl never have the same, and within a group they grow',
    ),
  url: z.string(),
});
/** What was recorded. Entries of one outcome stand together. */
export const streamedEntry = z.discriminatedUnion('kind', [
  place.extend({ kind: z.literal('record'), record: z.record(z.string(), z.unknown()) }),
  place.extend({ kind: z.literal('item'), item: z.unknown() }),
  place.extend({ kind: z.literal('links'), edges: z.array(z.record(z.string(), z.unknown())) }),
]);
export type StreamedEntry = z.infer<typeof streamedEntry>;

/** Why a subscription begins with everything: `first`, it has no token; otherwise its token cannot be continued. */
export const snapshotCauses = ['first', 'too-old', 'other-generation'] as const;
export type SnapshotCause = (typeof snapshotCauses)[number];

const documents = z.record(z.string(), z.unknown());
const problem = z.object({
  code: z.enum(codes),
  message: z.string(),
  next: z.string().optional(),
});
export type StreamProblem = z.infer<typeof problem>;

const of = { id: subscription, token: syncToken };

/** What one subscription is told. */
export const topicFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot').describe('Forget what came before'),
    ...of,
    why: z.enum(snapshotCauses),
    set: documents.describe('Everything, by key; empty where entries or events follow'),
    more: z.boolean().describe('The next frame continues the snapshot'),
  }),
  z.object({ type: z.literal('resumed'), ...of }),
  z.object({
    type: z.literal('delta'),
    ...of,
    set: documents.describe('What is new or changed'),
    removed: z.array(z.string()),
  }),
  z.object({ type: z.literal('entries'), ...of, entries: z.array(streamedEntry) }),
  z.object({
    type: z.literal('events'),
    ...of,
    events: z.array(z.record(z.string(), z.unknown())),
  }),
  z.object({
    type: z.literal('bookmark').describe('Nothing new up to this token'),
    ...of,
    over: z.string().optional().describe('The crawl is over, in this state, and everything of it was sent'),
  }),
]);
export type TopicFrame = z.infer<typeof topicFrame>;

/** What a coordinator sends. */
export const serverFrame = z.discriminatedUnion('type', [
  ...topicFrame.options,
  z.object({
    type: z.literal('welcome'),
    coordinator: z.string(),
    heartbeatMs: z.int(),
    maxSubscriptions: z.int(),
  }),
  z.object({
    type: z.literal('closed').describe('The subscription has ended'),
    id: subscription,
    problem: problem.optional(),
  }),
  z.object({ type: z.literal('problem').describe('A frame was not accepted'), problem }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;

export const streamRoutes = {
  followEvents: route({
    method: 'GET',
    path: '/v1/events',
    scope: 'viewer',
    family: 'stream',
    summary: 'Follow one topic of the stream as Server-Sent Events; Last-Event-ID continues behind a token',
    refusals: ['cursor-stale'],
    query: z.strictObject({
      topic: z.enum(streamTopics).default('events'),
      crawl: crawl.optional(),
      kinds: z.array(z.enum(resultKinds)).max(3).default([]),
      list: z.string().max(40).optional(),
      limit: z.int().optional(),
      states: crawlSearch.states,
      search: z.string().max(300).optional(),
      offset: z.int().optional(),
      minIntervalMs: z.int().optional(),
      after: syncToken.optional().describe('Where Last-Event-ID cannot be sent'),
      ...recordFilter.shape,
    }),
    answer: { kind: 'text', type: 'text/event-stream' },
  }),
};

/** Close codes of `/v1/stream`, beside those of the WebSocket protocol itself. */
export const streamCloses = {
  /** Frames that were not understood, too many or too large. */
  misused: 4400,
  /** The token is missing, not accepted, or was revoked. */
  refused: 4401,
  /** The client read nothing for too long. */
  slow: 1013,
  /** The coordinator is shutting down. */
  bye: 1001,
} as const;
