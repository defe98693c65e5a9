import { WebfarerError } from '@webfarer/protocol';
import { splitStoreUrl, type StoreUrlOptions, storeUrlOptions } from '@webfarer/protocol/job';
import { parseUrl } from '@webfarer/protocol/url';
import { natMap, type NatMap, noNat } from './nat-map.ts';

/** Where and how to connect: the parts of the address of a store. */
export interface Endpoint {
  /** Or the path of its socket. */
  host: string;
  port: number;
  tls: boolean;
  user?: string;
  password?: string;
  /** Holds the password, or an address with it, and counts before `password`: read for every new connection. */
  passwordFile?: string;
  /** Certificates other than those that Node trusts, and the name to ask for. */
  trust?: TlsFiles;
}

/** Files that decide whom a connection trusts and who it is. */
export interface TlsFiles {
  /** Authorities that are trusted instead of those that Node trusts. */
  ca?: string;
  /** What this process shows to a server that asks. */
  cert?: string;
  key?: string;
  /** The name that the certificate of the server must have, where it is not the host of the address. */
  serverName?: string;
}

/** The address of a store, read. */
export interface StoreAddress {
  /** The servers that are named, or the Sentinels. */
  seeds: Endpoint[];
  /** Present where Sentinels are named: the name of the primary that they monitor. */
  sentinel?: SentinelChoice;
  nat: NatMap;
}

export interface SentinelChoice {
  name: string;
  /** The file with the name and password for the Sentinels themselves. */
  authFile?: string;
  /** How to sign in to the servers that they name. */
  servers: SignIn;
}

/** How to sign in to a server. */
export type SignIn = Pick<Endpoint, 'user' | 'password' | 'passwordFile'>;

const schemes: Readonly<Record<string, { tls: boolean; sentinel: boolean }>> = {
  'redis:': { tls: false, sentinel: false },
  'rediss:': { tls: true, sentinel: false },
  'valkey:': { tls: false, sentinel: false },
  'valkeys:': { tls: true, sentinel: false },
  'redis+sentinel:': { tls: false, sentinel: true },
  'rediss+sentinel:': { tls: true, sentinel: true },
  'valkey+sentinel:': { tls: false, sentinel: true },
  'valkeys+sentinel:': { tls: true, sentinel: true },
};
const socketUrl = /^unix:\/\/(?:([^@/]*)@)?(\/[^,]+)$/;
const ports = { server: 6379, sentinel: 26379 };

/**
 * `redis://[user:password@]host[:port][,host[:port]...][?option=value&...]`, or `rediss://` for TLS; `valkey` means the
 * same. A server on this machine also by its socket: `unix://[user:password@]/path`. Sentinels as
 * `redis+sentinel://[user:password@]host[:port][,...]/name`, where user and password are those of the servers.
 */
export function readStoreUrl(url: string): StoreAddress {
  const { address: plain, options: given } = splitStoreUrl(url);
  const options = optionsOf(given);
  const [, secret = '', path] = socketUrl.exec(plain) ?? [];
  if (path !== undefined) {
    const [user = '', password = ''] = secret.split(':');
    const own = signedIn(user, password, options);
    return { seeds: [{ tls: false, ...own, ...splitAddress(path) }], nat: noNat };
  }
  const [, scheme = '', where = '', name = ''] = /^([a-z+]+:)\/\/([^/]*)(?:\/(.*))?$/.exec(plain) ?? [];
  const kind = schemes[scheme];
  const [first = '', ...more] = where.split(',');
  // The scheme of the web is parsed by the same rules, and has a host.
  const parsed = parseUrl(`redis://${first}`);
  if (kind === undefined || parsed === undefined || parsed.hostname === '' || (name !== '' && !kind.sentinel))
    throw invalid(url);
  if (kind.sentinel && name === '') throw nameless(url);
  const own = signedIn(parsed.username, parsed.password, options);
  const trust = trustIn(options, kind.tls);
  const shared = { tls: kind.tls, ...(kind.sentinel ? {} : own), ...(trust === undefined ? {} : { trust }) };
  const port = kind.sentinel ? ports.sentinel : ports.server;
  const seeds = [parsed.host, ...more].map((host) => ({ ...shared, ...splitAddress(host.trim(), port) }));
  const nat = natMap(options.nat);
  if (!kind.sentinel) return { seeds, nat };
  const authFile = options['sentinel-auth'];
  const sentinel = { name: decodeURIComponent(name), servers: own };
  return { seeds, nat, sentinel: { ...sentinel, ...(authFile === undefined ? {} : { authFile }) } };
}

/** The servers or Sentinels that an address names. */
export function parseStoreUrl(url: string): Endpoint[] {
  return readStoreUrl(url).seeds;
}

function optionsOf(given: Record<string, string>): StoreUrlOptions {
  const unknown = Object.keys(given).find((name) => !storeUrlOptions.some((known) => known === name));
  if (unknown === undefined) return given;
  throw new WebfarerError('usage', `the store address has an unknown option: ${unknown}`, {
    next: `Options are ${storeUrlOptions.join(', ')}.`,
  });
}

function trustIn(options: StoreUrlOptions, tls: boolean): TlsFiles | undefined {
  const { ca, cert, key, 'server-name': serverName } = options;
  const given = Object.entries({ ca, cert, key, serverName }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  if (!tls)
    throw new WebfarerError('usage', 'certificates are given for a store that is not asked to encrypt', {
      next: 'Write rediss:// (or rediss+sentinel://) instead of redis://.',
    });
  if ((cert === undefined) !== (key === undefined))
    throw new WebfarerError(
      'usage',
      'a client certificate needs its private key, and the key its certificate',
      {
        next: 'Give both: --store-cert FILE --store-key FILE.',
      },
    );
  return Object.fromEntries(given) as TlsFiles;
}

function invalid(url: string): WebfarerError {
  return new WebfarerError('usage', `invalid store address: ${withoutPassword(url)}`, {
    next: 'Write redis://host:6379, rediss://user:password@host:6379, redis+sentinel://host:26379/NAME or unix:///path; separate several nodes by commas.',
  });
}

function nameless(url: string): WebfarerError {
  return new WebfarerError(
    'usage',
    `invalid store address: ${withoutPassword(url)} does not say which primary the Sentinels monitor`,
    {
      next: 'Add its name: redis+sentinel://host:26379/mymaster (sentinel monitor NAME … in sentinel.conf).',
    },
  );
}

/** The user and password that an address names, which `readStoreUrl` also finds in a file. */
function signedIn(user: string, password: string, { 'password-file': file }: StoreUrlOptions): SignIn {
  return {
    ...(file === undefined ? {} : { passwordFile: file }),
    ...(user === '' ? {} : { user: decodeURIComponent(user) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':…@');
}

/** The path of a socket stands in the place of a host. */
export function splitAddress(
  address: string,
  usualPort: number = ports.server,
): { host: string; port: number } {
  if (isSocket(address)) return { host: address, port: 0 };
  const colon = address.lastIndexOf(':');
  const hasPort = colon > address.lastIndexOf(']');
  const host = (hasPort ? address.slice(0, colon) : address).replace(/^\[|\]$/g, '');
  return { host, port: hasPort ? Number(address.slice(colon + 1)) : usualPort };
}

export function addressOf({ host, port }: { host: string; port: number }): string {
  if (isSocket(host)) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A server on this machine, reached by a file. */
export function isSocket(host: string): boolean {
  return host.startsWith('/');
}
