/** Cookies of browsers that log in. Behind TLS their names bind them to this very host, over https alone. */
export interface LogInCookies {
  /** The secret of a session. */
  session: Cookie;
  /** What a log-in that was begun must find again when the browser comes back. */
  logIn: Cookie;
}

export interface Cookie {
  /** The value in a `Cookie` header; undefined: there is none, or more than one. */
  read(header: string | undefined): string | undefined;
  /** As a `Set-Cookie` header. */
  set(value: string, lifeMs: number): string;
  clear(): string;
}

/** `secure`: browsers reach the coordinators over https. */
export function logInCookies(secure: boolean): LogInCookies {
  return {
    session: cookie('webfarer-session', 'Strict', secure),
    // The browser comes back from another site, and brings only what is lax.
    logIn: cookie('webfarer-log-in', 'Lax', secure),
  };
}

function cookie(plainName: string, sameSite: 'Strict' | 'Lax', secure: boolean): Cookie {
  const name = secure ? `__Host-${plainName}` : plainName;
  const ending = `; Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  return {
    read(header) {
      const values = (header ?? '')
        .split(';')
        .map((pair) => pair.trim().split('='))
        .filter(([key]) => key === name)
        .map(([, ...value]) => value.join('='));
      return values.length === 1 ? values[0] : undefined;
    },
    set: (value, lifeMs) => `${name}=${value}; Max-Age=${Math.floor(lifeMs / 1_000)}${ending}`,
    clear: () => `${name}=; Max-Age=0${ending}`,
  };
}

const scheme = 'Session ';

/** What a request shows to be let through: its `Authorization` header, else its session as one. */
export function credentialsIn(
  header: (name: 'authorization' | 'cookie') => string | undefined,
  { session }: LogInCookies,
): string | undefined {
  const authorization = header('authorization');
  if (authorization !== undefined) return authorization;
  const secret = session.read(header('cookie'));
  return secret === undefined ? undefined : scheme + secret;
}

/** The secret of the session in credentials; undefined: they are something else. */
export function sessionIn(credentials: string | undefined): string | undefined {
  return credentials?.startsWith(scheme) === true ? credentials.slice(scheme.length) : undefined;
}
