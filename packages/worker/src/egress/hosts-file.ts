import { readFileSync } from 'node:fs';
import { parseAddress } from './address.ts';

const mostCharacters = 1_000_000;

/** Windows may be installed elsewhere, and then its hosts file is not read; nothing else depends on it. */
const pathOn = (platform: NodeJS.Platform): string =>
  platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** The addresses that a person gave names on this machine. c-ares skips this file; people expect it to count. */
export function readHostsFile(
  platform: NodeJS.Platform = process.platform,
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  let text: string;
  try {
    // Editors on Windows put a byte order mark in front.
    text = read(pathOn(platform))
      .slice(0, mostCharacters)
      .replace(/^\ufeff/, '');
  } catch {
    return hosts;
  }
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!address || !parseAddress(address)) continue;
    for (const name of names)
      hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}
