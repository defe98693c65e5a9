import type { HostKey } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';

/** Between two requests about the same host. */
const HOST_GAP_MS = 10_000;
/** Requests that strangers can make us send in a minute: to one registered domain, and in all. */
const MINUTE_MS = 60_000;
const MOST = { ofSite: 6, inAll: 60 };
/** Hosts and domains that are remembered; older ones are forgotten first. */
const MOST_KEPT = 10_000;

/** How often strangers may ask, and how often they may make this coordinator contact a site. */
export interface OwnerLimits {
  /** For how long this has to wait; 0: not at all, and it counts. */
  ask(host: HostKey, nowMs: number): number;
  /** The same for a request that would leave for the host. */
  contact(host: HostKey, nowMs: number): number;
}

export function createOwnerLimits(): OwnerLimits {
  const asked = new Map<string, number>();
  const contacted = new Map<string, number[]>();
  const everywhere: number[] = [];

  return {
    ask(host, nowMs) {
      const waitMs = (asked.get(host) ?? Number.NEGATIVE_INFINITY) + HOST_GAP_MS - nowMs;
      if (waitMs > 0) return waitMs;
      keep(asked, host, nowMs);
      return 0;
    },
    contact(host, nowMs) {
      const site = siteOf(host);
      const ofSite = contacted.get(site) ?? [];
      const waitMs = Math.max(
        restOfMinute(ofSite, MOST.ofSite, nowMs),
        restOfMinute(everywhere, MOST.inAll, nowMs),
      );
      if (waitMs > 0) return waitMs;
      everywhere.push(nowMs);
      keep(contacted, site, [...ofSite, nowMs]);
      return 0;
    },
  };
}

/** Until there are fewer than `most` within a minute. Drops those that are older. */
function restOfMinute(times: number[], most: number, nowMs: number): number {
  while (times.length > 0 && (times[0] ?? 0) <= nowMs - MINUTE_MS) times.shift();
  return times.length < most ? 0 : (times[0] ?? nowMs) + MINUTE_MS - nowMs;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MOST_KEPT) return;
    map.delete(oldest);
  }
}
