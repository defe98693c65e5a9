import { z } from 'zod';
import { defaultTeam, teamName } from '../job/values.ts';
import { apiScopes, pageOf, paging, route } from './route.ts';

const family = 'tokens';

const dayMs = 86_400_000;
const timeMs = z.int().describe('Milliseconds since 1970');
const params = z.strictObject({ token: z.string().min(1).max(100).describe('The id of the token') });

const holder = { id: z.string(), scope: z.enum(apiScopes), team: z.string() };

const tokenInfo = z
  .object({
    ...holder,
    note: z.string(),
    createdAtMs: timeMs,
    expiresAtMs: timeMs.optional(),
    lastUsedAtMs: timeMs.optional().describe('Milliseconds since 1970, at most an hour behind'),
    revokedAtMs: timeMs.optional(),
    previousEndsAtMs: timeMs.optional().describe('When the secret before the latest rotation ends'),
  })
  .meta({ id: 'Token' });

const tokenSecret = tokenInfo
  .extend({ token: z.string().describe('The token itself. It is shown this once and kept nowhere') })
  .meta({ id: 'NewToken' });

export const tokenRoutes = {
  listTokens: route({
    method: 'GET',
    path: '/v1/tokens',
    scope: 'admin',
    family,
    summary: 'List tokens by id, revoked ones included',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(tokenInfo) },
  }),
  createToken: route({
    method: 'POST',
    path: '/v1/tokens',
    scope: 'admin',
    family,
    summary: 'Create a token',
    body: z.strictObject({
      scope: z.enum(apiScopes),
      team: teamName.default(defaultTeam).describe('Whose crawls it is for'),
      note: z.string().max(1000).default('').describe('Who has it, and what for'),
      expiresInMs: z
        .int()
        .min(1000)
        .max(3650 * dayMs)
        .optional()
        .describe('How long it is valid; until it is revoked when absent'),
    }),
    answer: { kind: 'json', status: 201, schema: tokenSecret },
  }),
  getToken: route({
    method: 'GET',
    path: '/v1/tokens/{token}',
    scope: 'admin',
    family,
    summary: 'Show a token, without its secret',
    params,
    answer: { kind: 'json', status: 200, schema: tokenInfo },
  }),
  rotateToken: route({
    method: 'POST',
    path: '/v1/tokens/{token}/rotate',
    scope: 'admin',
    family,
    summary: 'Give a token a new secret; the old one stays valid for a while',
    params,
    body: z.strictObject({
      overlapMs: z
        .int()
        .min(0)
        .max(90 * dayMs)
        .default(dayMs)
        .describe('How long the old secret stays valid'),
    }),
    answer: { kind: 'json', status: 200, schema: tokenSecret },
  }),
  revokeToken: route({
    method: 'POST',
    path: '/v1/tokens/{token}/revoke',
    scope: 'admin',
    family,
    summary: 'Revoke a token: all coordinators reject it within five seconds',
    params,
    answer: { kind: 'json', status: 200, schema: tokenInfo },
  }),
  getOwnToken: route({
    method: 'GET',
    path: '/v1/whoami',
    scope: 'viewer',
    family,
    summary: 'Show the id, scope and team of the token or user that sent the request',
    answer: {
      kind: 'json',
      status: 200,
      schema: z
        .object({
          ...holder,
          name: z.string().optional().describe('Of a user, where the OpenID provider says it'),
          session: z.string().optional().describe('The id of the session of a user'),
        })
        .meta({ id: 'TokenHolder' }),
    },
  }),
};
