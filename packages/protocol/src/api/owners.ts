import { z } from 'zod';
import { hostPattern } from '../url/host-pattern.ts';
import { ownerLine } from './owners-schema.ts';
import { route } from './route.ts';

const family = 'site-owners';

/** Where an owner can put the token, and nobody else. */
export const ownerPlaces = ['well-known', 'robots'] as const;
export type OwnerPlace = (typeof ownerPlaces)[number];

/** What an owner can ask for. `look` changes nothing. */
export const ownerWishes = ['look', 'stop', 'slow', 'resume'] as const;
export type OwnerWish = (typeof ownerWishes)[number];

const host = z
  .string()
  .min(1)
  .max(253)
  .refine((text) => !text.includes('*') && hostPattern(text) !== undefined, {
    error: 'expected one host name, without scheme, port and path',
  })
  .transform((text) => hostPattern(text) ?? text)
  .describe('One host name, without scheme, port and path');
const secret = z
  .string()
  .regex(/^[\w-]{43}$/, { error: 'expected a secret that this coordinator made' })
  .describe('Kept by the owner; the token is made from it');

const about = z
  .object({
    name: z.string().describe('Who runs the crawler'),
    contact: z.string().describe('mailto: or https://'),
    text: z.string().optional().describe('What the crawls are for; plain text'),
    userAgent: z.string(),
    robotsName: z.string().describe('The name to use in robots.txt'),
    addresses: z.array(z.string()),
    directory: z.string().optional().describe('Where the keys of signed requests are'),
  })
  .meta({ id: 'AboutCrawler' });
export type AboutCrawler = z.infer<typeof about>;

const token = z
  .object({
    host: z.string(),
    secret,
    token: z.string().describe('A hash of the host and the secret: safe to publish'),
    path: z.string().describe('The path of the file that may hold the token alone'),
    line: z.string().describe('The comment in robots.txt that may hold it instead'),
  })
  .meta({ id: 'OwnerToken' });
export type OwnerToken = z.infer<typeof token>;

const request = z.object({
  atMs: z.number().optional(),
  url: z.string(),
  status: z.int().optional(),
  bytes: z.int().optional(),
});

const answer = z
  .object({
    host: z.string(),
    refused: z.enum(['opt-out', 'blocked']).optional().describe('Nothing is requested from the host'),
    gapMs: z.number().optional().describe('The least pause between two requests'),
    canResume: z.boolean().describe('The owner set what holds now, and may take it back'),
    fetched: z
      .object({
        pages: z.int().describe('URLs of the host that were requested, as far as was searched'),
        bytes: z.number().describe('Of their bodies'),
        complete: z.boolean().describe('False: there are more than were searched'),
        byStatus: z.record(z.string(), z.int()).describe('How many by HTTP status; `none`: no answer'),
        latest: z.array(request).describe('The latest first, at most 100'),
      })
      .describe('In all crawls, each URL once'),
  })
  .meta({ id: 'OwnerAnswer' });
export type OwnerAnswer = z.infer<typeof answer>;

/** For people without a token: who crawls, and how an owner slows it down or ends it. */
export const ownerRoutes = {
  aboutCrawler: route({
    method: 'GET',
    path: '/v1/site-owners',
    scope: 'public',
    family,
    summary: 'Say who runs this crawler and how it can be recognized',
    refusals: ['not-found'],
    answer: { kind: 'json', status: 200, schema: about },
  }),
  isHostOptedOut: route({
    method: 'GET',
    path: '/v1/site-owners/hosts/{host}',
    scope: 'public',
    family,
    summary: 'Say whether the owner of a host opted out',
    params: z.strictObject({ host }),
    refusals: ['not-found'],
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({ host: z.string(), optedOut: z.boolean() }).meta({ id: 'HostOptedOut' }),
    },
  }),
  createOwnerToken: route({
    method: 'POST',
    path: '/v1/site-owners/tokens',
    scope: 'public',
    family,
    summary: 'Make a token that the owner of a host puts there; nothing is stored or requested',
    body: z.strictObject({
      host,
      secret: secret.optional().describe('Of an earlier token; absent: a new one'),
    }),
    refusals: ['not-found'],
    answer: { kind: 'json', status: 200, schema: token },
  }),
  requestAsOwner: route({
    method: 'POST',
    path: '/v1/site-owners/requests',
    scope: 'public',
    family,
    summary:
      'Look for the token on the host with one request, then stop or slow down all crawls of it within 5 seconds',
    body: z.strictObject({
      host,
      secret,
      place: z.enum(ownerPlaces).default('well-known').describe('Where the token was put'),
      scheme: z.enum(['https', 'http']).default('https'),
      wish: z.enum(ownerWishes),
      gapMs: z
        .int()
        .min(1_000)
        .max(86_400_000)
        .default(60_000)
        .describe('For `slow`: the least pause between two requests'),
      reason: ownerLine(500).optional().describe('For those who run the crawler'),
      contact: ownerLine(200).optional().describe('How they reach the owner'),
    }),
    refusals: ['not-found', 'forbidden', 'conflict', 'too-often'],
    answer: { kind: 'json', status: 200, schema: answer },
  }),
};
