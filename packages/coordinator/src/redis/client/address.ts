import { WebfarerError } from '@webfarer/protocol';
import { parseUrl } from '@webfarer/protocol/url';
import type { Endpoint } from './connection.ts';

/** `redis://[user:password@]host[:port][,host[:port]...]`, or `rediss://` for TLS. */
export function parseStoreUrl(url: string): Endpoint[] {
  const [first = '', ...more] = url.split(',');
  const parsed = parseUrl(first);
  const scheme = parsed?.protocol;
  if (parsed === undefined || !(scheme === 'redis:' || scheme === 'rediss:') || parsed.hostname === '')
    throw new WebfarerError('usage', `invalid store address: ${withoutPassword(url)}`, {
      next: 'Write redis://host:6379 or rediss://user:password@host:6379; separate several nodes by commas.',
    });
  const shared: Omit<Endpoint, 'host' | 'port'> = { tls: scheme === 'rediss:' };
  if (parsed.username !== '') shared.user = decodeURIComponent(parsed.username);
  if (parsed.password !== '') shared.password = decodeURIComponent(parsed.password);
  return [parsed.host, ...more].map((host) => ({ ...shared, ...splitAddress(host.trim()) }));
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':…@');
}

export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  const hasPort = colon > address.lastIndexOf(']');
  const host = (hasPort ? address.slice(0, colon) : address).replace(/^\[|\]$/g, '');
  return { host, port: hasPort ? Number(address.slice(colon + 1)) : 6379 };
}

export function addressOf({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
