import { z } from 'zod';
import { defaultTeam, duration, teamName } from '../job/values.ts';
import { parseUrl } from '../url/url.ts';

/** What people who log in may be: working is for tokens. */
const userScopes = ['viewer', 'operator', 'admin'] as const;

const minuteMs = 60_000;
const loopback = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Whether a URL may be used without TLS: what is sent to it does not leave the machine. */
export function isLoopbackUrl(text: string): boolean {
  return loopback.test(parseUrl(text)?.hostname ?? '');
}

const issuer = z.string().superRefine((text, context) => {
  const url = parseUrl(text);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackUrl(text))) return;
  context.addIssue({ code: 'custom', message: 'expected an https:// URL' });
});

const grant = z
  .strictObject({
    group: z.string().min(1).optional().describe('A value of the claim that `groupsClaim` names'),
    email: z
      .string()
      .regex(/^(\*|[^@\s*]+)@[^@\s*]+$/, { error: 'expected an address, or *@example.org for a domain' })
      .optional()
      .describe('A verified address, or `*@example.org` for all of a domain'),
    scope: z.enum(userScopes),
    team: teamName.default(defaultTeam),
  })
  .refine(({ group, email }) => group !== undefined || email !== undefined, {
    error: 'expected a group or an email',
  });

/** The file that `--log-in` names: who may log in, and as what. */
export const logInSchema = z.strictObject({
  issuer: issuer.describe('The issuer of the OpenID provider, as its discovery document names it'),
  clientId: z.string().min(1),
  clientSecretFile: z.string().min(1).optional().describe('Absent for a public client, which has PKCE alone'),
  url: z
    .string()
    .regex(/^https?:\/\/[^/?#]+$/, { error: 'expected an origin, such as https://crawl.example.org' })
    .optional()
    .describe('Where browsers reach the coordinators, if that is not the address of this one'),
  scopes: z
    .array(z.string().regex(/^[\x21-\x7e]+$/))
    .default(['openid', 'profile', 'email'])
    .describe('What to ask the provider for; some send groups only when asked'),
  groupsClaim: z
    .string()
    .min(1)
    .default('groups')
    .describe('The claim with the groups or roles of a user; `realm_access.roles` reads a nested one'),
  sessionLife: duration
    .prefault('1h')
    .refine((ms) => ms >= 5 * minuteMs && ms <= 24 * 60 * minuteMs, { error: 'expected 5m to 24h' })
    .describe(
      'How long a session lasts; logging in again is a redirect where the provider remembers the user',
    ),
  grants: z.array(grant).min(1).describe('The first grant that fits decides; without one nobody gets in'),
});
export type LogInFile = z.output<typeof logInSchema>;
export type LogInGrant = LogInFile['grants'][number];
