import type { Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';

export const levels = ['site', 'host', 'page'] as const;
export type Level = (typeof levels)[number];

/** The targets of a job at one level: each URL belongs to one name. */
export interface TargetGroups {
  /** In the order in which their first URL comes. */
  names: string[];
  /** For each URL the place of its name. */
  of: Uint32Array;
}

export function groupTargets(targets: readonly string[], level: Level): TargetGroups {
  const places = new Map<string, number>();
  const of = Uint32Array.from(targets, (url) => {
    const name = nameAt(level, url as Url);
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  });
  return { names: [...places.keys()], of };
}

export function nameAt(level: Level, url: Url): string {
  if (level === 'page') return url;
  return level === 'host' ? hostOf(url) : siteOf(hostOf(url));
}
