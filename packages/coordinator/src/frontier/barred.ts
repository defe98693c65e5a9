import type { HostKey } from '@webfarer/protocol';
import { type HostMatch, hostMatch } from '@webfarer/protocol/url';
import type { ForgetOrder, Tombstone } from './frontier.ts';

/** The hosts that a crawl has forgotten. */
export interface Barred {
  tombstones: readonly Tombstone[];
  matches: readonly HostMatch[];
  host(host: HostKey): boolean;
}

export function barredBy(tombstones: readonly Tombstone[]): Barred {
  const matches = tombstones.map(({ pattern }) => hostMatch(pattern));
  return { tombstones, matches, host: (host) => matches.some((match) => match.host(host)) };
}

/** With a tombstone for these hosts that says that something may still be there. */
export function barring(
  before: Barred | undefined,
  { pattern, elsewhere: found = {}, gone = [] }: Omit<ForgetOrder, 'moved'>,
  nowMs: number,
): Barred {
  const tombstones = before?.tombstones ?? [];
  const others = tombstones.filter((tombstone) => tombstone.pattern !== pattern);
  const known = tombstones.find((tombstone) => tombstone.pattern === pattern);
  const all = Object.entries({ ...known?.elsewhere, ...found }).filter(([place]) => !gone.includes(place));
  const elsewhere = all.length === 0 ? {} : { elsewhere: Object.fromEntries(all) };
  return barredBy([...others, { pattern, sinceMs: known?.sinceMs ?? nowMs, ...elsewhere }]);
}

/** With the tombstone of these hosts saying that nothing is there any more. */
export function buried(
  before: Barred | undefined,
  pattern: string,
  done: NonNullable<Tombstone['done']>,
): Barred {
  const tombstones = before?.tombstones ?? [];
  return barredBy(tombstones.map((one) => (one.pattern === pattern ? { ...one, done } : one)));
}
