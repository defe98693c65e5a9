import { type Clock, WebfarerError } from '@webfarer/protocol';
import { isLoopbackUrl } from '@webfarer/protocol/api';
import type { LogInSettings } from '@webfarer/protocol/node';
import { parseUrl } from '@webfarer/protocol/url';
import * as oidc from 'openid-client';
import { type Claims, claimAt } from './grants.ts';

/** The way to the issuer, with limits of time and size. Never rejects. */
export interface IssuerWay {
  ask(request: IssuerRequest): Promise<IssuerAnswer>;
}

export interface IssuerRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: [string, string][];
  /** Empty with GET. */
  content: string;
}

export type IssuerAnswer =
  | { status: number; headers: [string, string][]; body: Uint8Array<ArrayBuffer> }
  | { error: string };

/** What a log-in is checked against when the browser comes back. */
export interface LogInChecks {
  state: string;
  nonce: string;
  /** Of PKCE: only who began the log-in has it. */
  verifier: string;
}

/** What the issuer sent the browser back with. */
export interface LogInAnswer {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
}

/** The OpenID provider that knows the users. */
export interface Issuer {
  newChecks(): LogInChecks;
  /** Where the browser goes to log in. */
  authorizationUrl(checks: LogInChecks): Promise<string>;
  /** Who has logged in; throws `log-in-refused`, or `issuer-silent` where it cannot be asked. */
  identify(answer: LogInAnswer, checks: LogInChecks): Promise<Claims>;
}

export interface IssuerOptions {
  settings: LogInSettings;
  way: IssuerWay;
  clock: Pick<Clock, 'now'>;
  /** Where the issuer sends the browser back to. */
  redirectUrl: string;
}

/** Its keys and addresses are read again after this. */
const KNOWN_MS = 3_600_000;
/** A browser is sent there only if it has answered within this time: nobody should land at an address that is dead. */
const ANSWERED_MS = 5_000;
/** An issuer that did not answer is asked again after this: those who wait for it are refused at once. */
const SILENT_MS = 2_000;
const TIMEOUT_S = 15;

export function openIssuer({ settings, way, clock, redirectUrl }: IssuerOptions): Issuer {
  const { clientId, clientSecret, scopes, groupsClaim } = settings;
  const server = parseUrl(settings.issuer) as URL;
  let known: { config: Promise<oidc.Configuration>; answeredAtMs: number; untilMs: number } | undefined;

  const ask: oidc.CustomFetch = async (url, { method, headers, body }) => {
    const answer = await way.ask({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.entries(headers),
      content: body === undefined || body === null ? '' : String(body as URLSearchParams),
    });
    if ('error' in answer) throw silent(settings.issuer, answer.error);
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers });
  };

  /** The way that the provider takes the secret; the default of OpenID Connect is the header. */
  function authentication(): oidc.ClientAuth {
    if (clientSecret === undefined) return oidc.None();
    const [inHeader, inBody] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
    return (as, client, body, headers) => {
      const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const take = methods.includes('client_secret_basic') ? inHeader : inBody;
      return take(as, client, body, headers);
    };
  }

  async function discover(): Promise<oidc.Configuration> {
    return await oidc.discovery(server, clientId, undefined, authentication(), {
      [oidc.customFetch]: ask,
      timeout: TIMEOUT_S,
      // Without it, an ID token that came from the token endpoint counts without a signature.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(server.protocol === 'http:' && isLoopbackUrl(settings.issuer)
          ? [oidc.allowInsecureRequests]
          : []),
      ],
    });
  }

  /** One question for all who wait. `answeredMs`: how long ago it may have answered. */
  async function configuration(answeredMs: number): Promise<oidc.Configuration> {
    const nowMs = clock.now();
    if (!known || nowMs >= known.untilMs || nowMs - known.answeredAtMs >= answeredMs)
      known = { config: discover(), answeredAtMs: Infinity, untilMs: Infinity };
    const mine = known;
    return await mine.config.then(
      (config) => {
        if (mine.answeredAtMs === Infinity) mine.answeredAtMs = clock.now();
        return config;
      },
      (error: unknown) => {
        mine.untilMs = Math.min(mine.untilMs, clock.now() + SILENT_MS);
        throw refusalOf(error, settings.issuer);
      },
    );
  }

  /** Some providers put groups and addresses into the ID token, others answer them to whoever has the access token. */
  async function withUserInfo(
    config: oidc.Configuration,
    claims: Claims,
    accessToken: string,
  ): Promise<Claims> {
    const isWhole = claimAt(claims, groupsClaim) !== undefined && claims['email'] !== undefined;
    if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(config, accessToken, claims.sub)), ...claims };
  }

  return {
    newChecks: () => ({
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    }),
    async authorizationUrl({ state, nonce, verifier }) {
      const config = await configuration(ANSWERED_MS);
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: [...new Set(['openid', ...scopes])].join(' '),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    },
    async identify(answer, { state, nonce, verifier }) {
      const config = await configuration(KNOWN_MS);
      const given = Object.entries(answer).filter(
        (pair): pair is [string, string] => typeof pair[1] === 'string',
      );
      const current = parseUrl(`${redirectUrl}?${new URLSearchParams(given).toString()}`) as URL;
      try {
        const tokens = await oidc.authorizationCodeGrant(config, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
        });
        const claims = tokens.claims();
        if (!claims) throw new WebfarerError('log-in-refused', 'the OpenID provider sent no ID token');
        return await withUserInfo(config, claims as Claims, tokens.access_token);
      } catch (error) {
        throw refusalOf(error, settings.issuer);
      }
    },
  };
}

/** In our words. What the provider says beside its error code stays out: it may hold anything. */
function refusalOf(error: unknown, issuer: string): WebfarerError {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (at instanceof WebfarerError) return at;
  const again = 'Open /v1/session/log-in to try again.';
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)
    return new WebfarerError(
      'log-in-refused',
      `the OpenID provider refused the log-in: ${shown(error.error)}`,
      {
        next: again,
        cause: error,
      },
    );
  const { code = '', message } = error as { code?: string; message: string };
  if (code === 'OAUTH_TIMEOUT') return silent(issuer, 'no answer in time');
  return new WebfarerError(
    'log-in-refused',
    `the answer of the OpenID provider is not valid: ${message}${code === '' ? '' : ` (${code})`}`,
    { next: `${again} If it happens again, check issuer and clientId in the log-in file.`, cause: error },
  );
}

const shown = (code: string): string => code.replace(/[^\x20-\x7e]/g, '').slice(0, 100);

function silent(issuer: string, why: string): WebfarerError {
  return new WebfarerError('issuer-silent', `the OpenID provider ${issuer} does not answer: ${why}`, {
    next: 'Try again later, or use a token, which needs no provider.',
  });
}
