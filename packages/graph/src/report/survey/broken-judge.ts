import type { HostKey, PageRecord, Url } from '@webfarer/protocol';
import { isBroken } from '@webfarer/protocol/numbers';
import { hostOf } from '@webfarer/protocol/url';

/** Records that wait for the others: about 50 MB. What does not fit is judged by itself. */
const mostHeld = 50_000;
/** Hosts that are remembered as answering. */
const mostHosts = 100_000;

/** Which URLs are broken links: the terminal, the report and the lists all count by this. */
export interface BrokenJudge {
  /** Whether it is broken for certain. One that depends on other records is told by `late`. */
  isBroken(record: PageRecord): boolean;
  /** After the last record, once: redirects that lead in a circle, and URLs of hosts that never answered. */
  late(): PageRecord[];
}

export function createBrokenJudge(): BrokenJudge {
  const redirects = new Map<Url, PageRecord>();
  const answered = new Set<HostKey>();
  const dead: PageRecord[] = [];

  /** Where a chain comes back to itself. What was followed before is not followed again. */
  function circles(): PageRecord[] {
    const ends = new Map<Url, boolean>();
    for (const from of redirects.keys()) {
      const path = new Set<Url>();
      let at: Url | undefined = from;
      while (at !== undefined && !path.has(at) && !ends.has(at) && redirects.has(at)) {
        path.add(at);
        at = redirects.get(at)?.redirectTo;
      }
      const isCircle = at !== undefined && (ends.get(at) ?? path.has(at));
      for (const url of path) ends.set(url, isCircle);
    }
    return [...redirects].filter(([url]) => ends.get(url)).map(([, record]) => record);
  }

  return {
    isBroken(record) {
      const { url, reason, status, redirectTo } = record;
      if (status !== undefined && answered.size < mostHosts) answered.add(hostOf(url));
      if (reason === 'redirect' && redirectTo !== undefined && redirects.size < mostHeld) {
        redirects.set(url, record);
        return false;
      }
      if (reason === 'host-dead' && dead.length < mostHeld) {
        dead.push(record);
        return false;
      }
      return isBroken(record);
    },
    late() {
      // A host that answered and then stopped was not asked for the rest: nobody knows whether those links are good.
      const found = [...dead.filter(({ url }) => !answered.has(hostOf(url))), ...circles()];
      dead.length = 0;
      redirects.clear();
      return found;
    },
  };
}
