import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { WebfarerError } from '@webfarer/protocol';

export interface ListenAddress {
  host: string;
  port: number;
}

/** `127.0.0.1:7311`, `0.0.0.0:7311`, `[::1]:7311`, `7311`. Without a host: this machine only. */
export function parseListen(text: string, flag = '--listen'): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text.trim()) ?? [];
  const host = bracketed ?? plain ?? '127.0.0.1';
  const port = Number(digits);
  const known = host === 'localhost' || isIP(host) !== 0;
  if (digits !== undefined && port <= 65_535 && known) return { host, port };
  throw new WebfarerError('usage', `${flag} ${text} is not an address and a port.`, {
    next: `For example ${flag} 127.0.0.1:7311 (this machine only) or ${flag} 0.0.0.0:7311 (all networks)`,
  });
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** What others can connect to: `0.0.0.0` is every address of this machine, and none to name. */
export function namedAddress(
  { host, port }: ListenAddress,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): ListenAddress {
  if (host !== '0.0.0.0' && host !== '::') return { host, port };
  const outer = Object.values(interfaces)
    .flatMap((found) => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return { host: outer?.address ?? '127.0.0.1', port };
}

/** As a URL. */
export function urlOf({ host, port }: ListenAddress, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** A name that is looked up could be one of another site that leads here. Its port may be that of a tunnel. */
export function isNamedByAddress(host: string | null | undefined): boolean {
  const name = (host ?? '').replace(/:\d{1,5}$/, '');
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
