import { z } from 'zod';
import { pageOf, paging, route } from './route.ts';

const family = 'sessions';

const timeMs = z.number().describe('Milliseconds since 1970');
const params = z.strictObject({ session: z.string().min(1).max(100).describe('The id of the session') });

const session = z
  .object({
    id: z.string(),
    user: z.string().describe('`oidc:` and the subject at the issuer, as the audit log names it'),
    name: z.string().describe('As the issuer names the user; empty where it does not'),
    email: z.string().optional().describe('Where the issuer has verified it'),
    scope: z.string(),
    team: z.string(),
    createdAtMs: timeMs,
    expiresAtMs: timeMs,
  })
  .meta({ id: 'Session' });
export type ApiSession = z.infer<typeof session>;

const text = z.string().max(4096).optional();

/** Log in with an OpenID provider. Where browsers go, not programs: those have tokens. */
export const sessionRoutes = {
  logIn: route({
    method: 'GET',
    path: '/v1/session/log-in',
    scope: 'public',
    family,
    summary: 'Send the browser to the OpenID provider to log in',
    query: z.strictObject({
      to: z
        .string()
        .max(1000)
        .regex(/^\/(?![/\\])[\x21-\x7e]*$/, { error: 'expected a path on this coordinator, such as /' })
        .default('/v1/whoami')
        .describe('The path on this coordinator that the browser is taken to afterwards'),
    }),
    refusals: ['not-found'],
    answer: { kind: 'redirect' },
  }),
  finishLogIn: route({
    method: 'GET',
    path: '/v1/session/callback',
    scope: 'public',
    family,
    fromElsewhere: true,
    summary: 'Finish logging in: where the OpenID provider sends the browser back to',
    // Providers add values of their own.
    query: z.looseObject({ code: text, state: text, iss: text, error: text, error_description: text }),
    refusals: ['not-found'],
    answer: { kind: 'text', type: 'text/html; charset=utf-8' },
  }),
  redeemLink: route({
    method: 'POST',
    path: '/v1/session/link',
    scope: 'public',
    family,
    summary:
      'Exchange the code of a link that `webfarer crawl --ui` printed for a token: once, within 90 seconds',
    body: z.strictObject({
      code: z.string().min(1).max(200).describe('What stands behind #code= in the link'),
    }),
    refusals: ['not-found', 'link-refused'],
    answer: {
      kind: 'json',
      status: 200,
      schema: z
        .object({ token: z.string().describe('An operator token, accepted until the process ends') })
        .meta({ id: 'RedeemedLink' }),
    },
  }),
  logOut: route({
    method: 'DELETE',
    path: '/v1/session',
    scope: 'viewer',
    family,
    summary: 'Log out: end the session that the request was sent with',
    answer: { kind: 'none' },
  }),
  listSessions: route({
    method: 'GET',
    path: '/v1/sessions',
    scope: 'admin',
    family,
    summary: 'List the sessions of users that are logged in',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(session) },
  }),
  revokeSession: route({
    method: 'DELETE',
    path: '/v1/sessions/{session}',
    scope: 'admin',
    family,
    summary: 'End the session of a user: all coordinators reject it within five seconds',
    params,
    answer: { kind: 'none' },
  }),
};
