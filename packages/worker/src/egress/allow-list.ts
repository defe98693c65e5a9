import { type FetchPolicy, portAllowed } from '@webfarer/protocol/job';
import {
  type Address,
  inRange,
  isGloballyReachable,
  parseAddress,
  parseRange,
  type Range,
} from './address.ts';
import type { Target } from './target.ts';

/**
 * What may be contacted although it is not globally reachable: an origin (`http://localhost:3000`), a host
 * with or without port (`localhost:3000`, `intranet`), an address or a range (`127.0.0.0/8`).
 */
export interface AllowList {
  /** The operator named this very place, so its port is their choice too. */
  names(target: Target): boolean;
  permits(target: Target, address: Address): boolean;
  portPermitted(target: Target, ports: FetchPolicy['ports']): boolean;
}

/** Each list is read once. They are compared by identity: a crawl hands in the same array with every request. */
export function createAllowLists(): (entries: readonly string[]) => AllowList {
  const known = new WeakMap<readonly string[], AllowList>();
  return (entries) => {
    let list = known.get(entries);
    if (!list) {
      list = createAllowList(entries);
      known.set(entries, list);
    }
    return list;
  };
}

function createAllowList(entries: readonly string[]): AllowList {
  const ranges: Range[] = [];
  const places = new Set<string>();
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range) ranges.push(range);
    else places.add(entry.toLowerCase().replace(/\/+$/, ''));
  }
  const names = (target: Target): boolean => {
    if (places.size === 0) return false;
    const bare = target.host.includes(':') ? `[${target.host}]` : target.host;
    return places.has(target.origin) || places.has(`${bare}:${target.port}`) || places.has(bare);
  };
  return {
    names,
    permits: (target, address) =>
      isGloballyReachable(address) || names(target) || ranges.some((range) => inRange(address, range)),
    portPermitted: (target, ports) => portAllowed(ports, target.port) || names(target),
  };
}

/** Names that stand for the own machine without any look-up (RFC 6761). */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Where names are looked up by a proxy, only what the URL itself shows can be judged. */
export function permitsUnresolved(list: AllowList, target: Target): boolean {
  const literal = parseAddress(target.host);
  if (literal) return list.permits(target, literal);
  return !isLocalName(target.host) || list.names(target);
}
