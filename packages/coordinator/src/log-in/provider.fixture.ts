import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real OpenID provider on this machine. Whoever logs in is a user of the table. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Serves from now on, for coordinators with these addresses. */
  start(redirectUris: string[]): void;
  /** An ID token with other claims or header, signed with the key of the provider unless another is given. */
  forge(idToken: string, changes: Forgery): string;
  stop(): Promise<void>;
}

export interface Forgery {
  claims?: Record<string, unknown>;
  alg?: 'none';
  key?: KeyObject;
}

export interface TestUser {
  groups?: string[];
  name?: string;
  email?: string;
  email_verified?: boolean;
}

export async function openTestProvider(
  users: Readonly<Record<string, TestUser>>,
  address = '127.0.0.1',
): Promise<TestProvider> {
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const issuer = `http://${address}:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [clientId, clientSecret] = ['webfarer', 'a secret with spaces: and colons'];

  return {
    issuer,
    clientId,
    clientSecret,
    start(redirectUris) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: redirectUris,
            grant_types: ['authorization_code'],
            response_types: ['code'],
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
        cookies: { keys: ['of this test'] },
        // What is left to its defaults it writes about to the standard output.
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
        claims: {
          openid: ['sub'],
          profile: ['name'],
          email: ['email', 'email_verified'],
          groups: ['groups'],
        },
        findAccount: (_context: unknown, id: string) =>
          Object.hasOwn(users, id) ? { accountId: id, claims: () => ({ sub: id, ...users[id] }) } : undefined,
      });
      listener = provider.callback() as RequestListener;
    },
    forge(idToken, { claims = {}, alg, key = privateKey }) {
      const [head = '', body = ''] = idToken.split('.');
      const read = (part: string) =>
        JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      const written = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const signed = `${written({ ...read(head), ...(alg ? { alg } : {}) })}.${written({ ...read(body), ...claims })}`;
      if (alg === 'none') return `${signed}.`;
      return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As much of a browser as logging in needs: it keeps cookies, and follows redirects when told to. */
export interface TestBrowser {
  /** By the name of the cookie, for each origin. */
  cookies(origin: string): Map<string, string>;
  send(
    url: string,
    init?: { method?: string; form?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Logs in at the provider as a user; answers where the provider sends the browser back to. */
  passProvider(url: string, user: string): Promise<string>;
}

export function openTestBrowser(): TestBrowser {
  const jars = new Map<string, Map<string, string>>();

  function cookies(origin: string): Map<string, string> {
    let jar = jars.get(origin);
    if (!jar) jars.set(origin, (jar = new Map()));
    return jar;
  }

  const send: TestBrowser['send'] = async (url, { method = 'GET', form, headers = {} } = {}) => {
    const jar = cookies(new URL(url).origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split(';');
      const [name = '', ...value] = pair.split('=');
      const isOver = attributes.some((one) => /^\s*(max-age=0|expires=.*1970.*)$/i.test(one));
      if (isOver || value.join('=') === '') jar.delete(name);
      else jar.set(name, value.join('='));
    }
    return response;
  };

  return {
    cookies,
    send,
    async passProvider(url, user) {
      const { origin } = new URL(url);
      let at = url;
      for (let step = 0; step < 12; step++) {
        if (new URL(at).origin !== origin) return at;
        let response = await send(at);
        const page = await response.text();
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
        if (prompt !== undefined) {
          const form = { prompt, ...(prompt === 'login' ? { login: user, password: 'any' } : {}) };
          response = await send(at, { method: 'POST', form });
        }
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`the provider answered ${response.status}: ${page.slice(0, 500)}`);
        at = new URL(location, at).href;
      }
      throw new Error('the provider never sent the browser back');
    },
  };
}
