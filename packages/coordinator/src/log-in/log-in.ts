import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { LogInSettings } from '@webfarer/protocol/node';
import type { Registry } from '../registry/registry.ts';
import type { LogInCookies } from './cookies.ts';
import { type Claims, grantFor, groupsIn, verifiedEmail } from './grants.ts';
import type { Issuer, LogInAnswer, LogInChecks } from './issuer.ts';
import type { Sessions, SessionUser } from './sessions.ts';

/** Logging in and out, for browsers. */
export interface LogIn {
  /** Where the browser goes, and the cookie it must bring back. */
  begin(to: string): Promise<{ location: string; cookies: string[] }>;
  /** The browser is back. */
  finish(answer: LogInAnswer, cookieHeader: string | undefined): Promise<LoggedIn>;
  /** The cookies of a browser that has logged out. */
  forget(): string[];
}

export interface LoggedIn {
  name: string;
  to: string;
  cookies: string[];
}

export interface LogInOptions {
  settings: LogInSettings;
  issuer: Issuer;
  sessions: Sessions;
  registry: Pick<Registry, 'note'>;
  cookies: LogInCookies;
  clock: Pick<DatedClock, 'wall'>;
}

/** From the beginning to the return: time for a second factor. */
const PATIENCE_MS = 600_000;
const MOST_CHARS = 200;

/** A log-in that was begun. It is kept by the browser alone, so any coordinator can finish it. */
interface Begun extends LogInChecks {
  to: string;
  atMs: number;
}

export function createLogIn({ settings, issuer, sessions, registry, cookies, clock }: LogInOptions): LogIn {
  async function userOf(claims: Claims): Promise<SessionUser> {
    const grant = grantFor(claims, settings);
    const user = `oidc:${claims.sub.slice(0, MOST_CHARS)}`;
    const { name, preferred_username: alias } = claims;
    const email = verifiedEmail(claims);
    const called = [name, alias, email].filter((one) => typeof one === 'string').find((one) => one !== '');
    if (grant)
      return {
        user,
        name: (called ?? '').slice(0, MOST_CHARS),
        ...(email === undefined ? {} : { email: email.slice(0, MOST_CHARS) }),
        scope: grant.scope,
        team: grant.team,
      };
    const groups = groupsIn(claims, settings.groupsClaim).slice(0, 20).join(', ');
    throw new WebfarerError(
      'log-in-refused',
      `no grant fits the user ${user.slice('oidc:'.length)} (${groups === '' ? 'no groups' : `groups: ${groups}`})`,
      {
        next: 'Ask an administrator to add a grant for one of your groups to the log-in file, or to add you to a group that has one.',
      },
    );
  }

  return {
    async begin(to) {
      const checks = issuer.newChecks();
      const location = await issuer.authorizationUrl(checks);
      const begun: Begun = { ...checks, to, atMs: Math.round(clock.wall()) };
      const value = Buffer.from(JSON.stringify(begun)).toString('base64url');
      return { location, cookies: [cookies.logIn.set(value, PATIENCE_MS)] };
    },
    async finish(answer, cookieHeader) {
      const begun = begunIn(cookies.logIn.read(cookieHeader));
      if (!begun || clock.wall() - begun.atMs > PATIENCE_MS || answer.state !== begun.state)
        throw new WebfarerError(
          'log-in-refused',
          'this browser did not begin the log-in, or it took longer than 10 minutes',
          { next: 'Open /v1/session/log-in to begin again.' },
        );
      const user = await userOf(await issuer.identify(answer, begun));
      const { id, secret } = await sessions.open(user, settings.sessionLife);
      const { scope, name, email } = user;
      await registry.note({
        atMs: clock.wall(),
        who: user.user,
        team: user.team,
        action: 'logIn',
        what: `/v1/sessions/${id}`,
        detail: JSON.stringify({ id, name, email, scope }),
      });
      return {
        name: user.name,
        to: begun.to,
        cookies: [cookies.logIn.clear(), cookies.session.set(secret, settings.sessionLife)],
      };
    },
    forget: () => [cookies.session.clear()],
  };
}

function begunIn(value: string | undefined): Begun | undefined {
  try {
    const begun = JSON.parse(Buffer.from(value ?? '', 'base64url').toString()) as Partial<Begun> | null;
    const { state, nonce, verifier, to, atMs } = begun ?? {};
    const texts = [state, nonce, verifier, to];
    if (!texts.every((text) => typeof text === 'string' && text !== '') || typeof atMs !== 'number')
      return undefined;
    return /^\/(?![/\\])/.test(String(to)) ? (begun as Begun) : undefined;
  } catch {
    return undefined;
  }
}
