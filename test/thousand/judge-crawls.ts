import type { PlannedCrawl } from './plan.ts';
import type { Ran } from './run-crawls.ts';
import type { Asked } from './sites.ts';

/** What was fetched so long before or after a process was gone may be fetched again. */
const aroundKillNs = 9e9;
/** A crawl that is created so long before or after may wait until its shard or worker is replaced. */
const shadowNs = { before: 1e9, after: 3e9 };

/** In ms, of so many crawls. */
export interface Waits {
  crawls: number;
  median: number;
  p99: number;
  most: number;
}

export interface Judged {
  /** Pages that nobody asked for. */
  lost: number;
  /** Requests for anything else. */
  extra: number;
  /** Pages asked for twice because a process was killed around the first time. */
  afterKills: number;
  /** The same without: a lease ran out by itself, or a result was lost. */
  repeated: number;
  gapViolations: number;
  /** From the call that creates a crawl to its first request. */
  firstFetch: Waits;
  /** The same of crawls whose team has few. */
  firstFetchOfSmallTeams: Waits;
  /** The same of all crawls, also those that were created while a process was gone. */
  firstFetchOfAll: Waits;
  /** Jain's index over the rates of crawls that are alike, the least of all teams. */
  evenness: number;
  examples: string[];
}

export function judgeCrawls(
  crawls: readonly PlannedCrawl[],
  { ran, log, gapMs }: { ran: Ran; log: readonly Asked[]; gapMs: number },
): Judged {
  const found = { lost: 0, extra: 0, afterKills: 0, repeated: 0 };
  const examples: string[] = [];
  const say = (text: string) => void (examples.length < 20 && examples.push(text));
  const byMark = Map.groupBy(log, ({ mark }) => mark);
  for (const { name, mark, urls } of crawls) {
    const requests = (byMark.get(mark) ?? []).filter(({ url }) => !url.endsWith('/robots.txt'));
    const byUrl = Map.groupBy(requests, ({ url }) => url);
    const missing = urls.filter((url) => !byUrl.has(url));
    found.lost += missing.length;
    if (missing.length > 0) say(`${name}: ${missing.length} were not asked for, ${missing[0]} is one`);
    for (const url of urls) {
      const again = (byUrl.get(url) ?? []).toSorted((a, b) => a.startNs - b.startNs);
      byUrl.delete(url);
      for (const [n, { startNs }] of again.slice(1).entries()) {
        const before = again[n] as Asked;
        const isOfKill = ran.absences.some(
          ({ fromNs, toNs }) =>
            fromNs < startNs &&
            fromNs - aroundKillNs < before.startNs &&
            toNs + aroundKillNs > before.startNs,
        );
        found[isOfKill ? 'afterKills' : 'repeated']++;
        if (!isOfKill) say(`${name}: ${url} again after ${(startNs - before.startNs) / 1e6} ms`);
      }
    }
    found.extra += byUrl.size;
    if (byUrl.size > 0) say(`${name}: ${[...byUrl.keys()][0]} was asked for`);
  }
  const undisturbed = crawls.filter((crawl) => !isInShadow(ran, crawl));
  const gaps = gapViolations(log, gapMs);
  for (const gap of gaps.slice(0, 5)) say(gap);
  return {
    ...found,
    gapViolations: gaps.length,
    firstFetch: waitsOf(undisturbed, { ran, byMark }),
    firstFetchOfSmallTeams: waitsOf(
      undisturbed.filter(({ team }) => team !== 'greedy'),
      { ran, byMark },
    ),
    firstFetchOfAll: waitsOf(crawls, { ran, byMark }),
    evenness: evenness(crawls, byMark),
    examples,
  };
}

/** Over all crawls together. */
function gapViolations(log: readonly Asked[], gapMs: number): string[] {
  const wrong: string[] = [];
  for (const [host, requests] of Map.groupBy(log, (one) => one.host)) {
    const inOrder = requests.toSorted((a, b) => a.startNs - b.startNs);
    for (const [n, { url, mark, startNs }] of inOrder.slice(1).entries()) {
      const before = inOrder[n] as Asked;
      const pauseMs = (startNs - before.endNs) / 1e6;
      if (pauseMs < gapMs - 1)
        wrong.push(
          `${host}: ${url} of ${mark} ${pauseMs.toFixed(1)} ms after ${before.url} of ${before.mark}`,
        );
    }
  }
  return wrong;
}

function isInShadow({ posted, absences }: Ran, crawl: PlannedCrawl): boolean {
  const atNs = posted.get(crawl) ?? 0;
  return absences.some(({ fromNs, toNs }) => atNs > fromNs - shadowNs.before && atNs < toNs + shadowNs.after);
}

function waitsOf(
  crawls: readonly PlannedCrawl[],
  { ran, byMark }: { ran: Ran; byMark: ReadonlyMap<string, readonly Asked[]> },
): Waits {
  const waits = crawls
    .flatMap((crawl) => {
      const [posted, first] = [ran.posted.get(crawl), byMark.get(crawl.mark)?.[0]];
      return posted === undefined || !first ? [] : [Math.round((first.startNs - posted) / 1e6)];
    })
    .toSorted((a, b) => a - b);
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? 0;
  return { crawls: waits.length, median: at(0.5), p99: at(0.99), most: at(1) };
}

/** Of pages a second from the first request of a crawl to its last. One page says nothing of a rate. */
function evenness(crawls: readonly PlannedCrawl[], byMark: ReadonlyMap<string, readonly Asked[]>): number {
  const twins = crawls.filter(({ twin }) => twin);
  const teams = [...Map.groupBy(twins, ({ team }) => team).values()];
  const indexes = teams.map((alike) => {
    const rates = alike.map(({ mark, urls }) => {
      const times = (byMark.get(mark) ?? []).map(({ startNs }) => startNs);
      return urls.length / ((Math.max(...times) - Math.min(...times)) / 1e9);
    });
    return jain(rates);
  });
  return Math.round(Math.min(...indexes) * 1_000) / 1_000;
}

function jain(values: readonly number[]): number {
  const sum = values.reduce((all, one) => all + one, 0);
  const squares = values.reduce((all, one) => all + one * one, 0);
  return sum ** 2 / (values.length * squares);
}
