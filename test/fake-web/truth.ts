import type { Host } from './hosts.ts';
import { isServing, leafKind, originFor, type WebBase } from './pages.ts';
import { type RobotsTruth, robotsTruth } from './robots-rules.ts';
import { isTrapHost } from './traps.ts';
import { type ExpectOptions, type Expected, hostUniverse } from './universe.ts';

/** What is true of a URL. `url` must be in normalised form. */
export type Truth =
  /** A crawl comes to know it, and this is its outcome. */
  | { known: true; expected: Expected; robots: RobotsTruth }
  /** Without end: which of these a crawl knows depends on its budget. */
  | { known: 'trap'; robots: RobotsTruth }
  /** No link that may be followed leads there. `nofollow`, `requisite`: a link of that sort does. */
  | { known: false; why: 'foreign' | 'nofollow' | 'requisite' | 'unlinked'; robots?: RobotsTruth };

export function truthOf(base: WebBase, url: string, options?: ExpectOptions): Truth {
  const parts = /^(https?):\/\/([^/:]+)(?::(\d+))?(\/.*)$/.exec(url);
  const host = parts === null ? undefined : base.hostNamed(parts[2] as string);
  if (parts === null || host === undefined) return { known: false, why: 'foreign' };
  const path = parts[4] as string;
  if (originFor(base, host, parts[1] as 'http' | 'https') + path !== url)
    return { known: false, why: 'foreign' };
  const robots = robotsTruth(base, host, path);
  if (isTrapHost(host)) return { known: 'trap', robots };
  for (const expected of hostUniverse(base, host, options)) {
    if (expected.url === url) return { known: true, expected, robots };
  }
  return { known: false, why: whyUnknown(base, host, path), robots };
}

function whyUnknown(base: WebBase, host: Host, path: string): 'nofollow' | 'requisite' | 'unlinked' {
  if (!isServing(host)) return 'unlinked';
  if (path === '/style.css' || /^\/img\/\d\.png$/.test(path)) return 'requisite';
  const unseen = /^\/unseen\/(\d{1,6})$/.exec(path);
  const leaf = unseen === null ? -1 : Number(unseen[1]);
  if (leaf >= 0 && leaf < host.leaves && leafKind(base, host, leaf).startsWith('nofollow')) return 'nofollow';
  return 'unlinked';
}
