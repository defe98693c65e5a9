import type { Host } from '../fake-web/hosts.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import { type History, storyOf, urlsOf } from './history.ts';
import type { Absence } from './ordered-network.ts';

/** A request may be on its way when its host is forgotten. */
const onItsWayNs = 5e9;
/** A worker that was cut off from its coordinator works on until its leases end: three of the longest fetches, and one more. */
const cutOffNs = 12e9;

/** What was fetched so long before or after a coordinator was gone is reported while a coordinator is there. */
const aroundKillNs = 9e9;

/** What the web's own log says of all histories together. */
export interface Judgement {
  /** Pages that nobody asked for. */
  lost: number;
  /** Hosts none of whose pages was asked for. */
  neverLeased: number;
  /** Requests for anything else. */
  extra: number;
  /** Requests to a host after it was forgotten, or of a crawl after it was deleted. */
  late: number;
  /** Pages asked for more than once because somebody queued them again. */
  retried: number;
  /** The same because a coordinator was killed around the first time. */
  afterKills: number;
  /** The same without either: its lease ran out, or nobody knows. */
  repeated: number;
  examples: string[];
}

export function judgeHistories(
  fake: FakeWeb,
  histories: readonly History[],
  { log, absences }: { log: readonly LogEntry[]; absences: readonly Absence[] },
): Judgement {
  const found: Judgement = {
    lost: 0,
    neverLeased: 0,
    extra: 0,
    late: 0,
    retried: 0,
    afterKills: 0,
    repeated: 0,
    examples: [],
  };
  const byMark = Map.groupBy(log, ({ agent }) => /mark-[\w-]+-end/.exec(agent)?.[0] ?? '');
  for (const history of histories) {
    const requests = (byMark.get(history.mark) ?? []).filter(({ path }) => path !== '/robots.txt');
    judgeOne({ fake, history, requests, absences }, found);
  }
  return found;
}

interface Case {
  fake: FakeWeb;
  history: History;
  requests: readonly LogEntry[];
  absences: readonly Absence[];
}

function judgeOne({ fake, history, requests, absences }: Case, found: Judgement): void {
  const { name, hosts, forgotten, isWhole } = history;
  const goneNs = (history.goneNs ?? Number.POSITIVE_INFINITY) + cutOffNs;
  const say = (text: string) =>
    void (found.examples.length < 20 && found.examples.push(`${name}: ${text} (${storyOf(history)})`));
  const byUrl = Map.groupBy(requests, ({ host, path }) => `http://${host}:${fake.httpPort}${path}`);
  for (const host of hosts) {
    const urls = urlsOf(fake, history, host);
    const missing = urls.filter((url) => !byUrl.has(url));
    for (const url of urls) {
      const repeats = repeatsOf(byUrl.get(url) ?? [], { history, host, absences });
      for (const why of repeats) found[why]++;
      byUrl.delete(url);
    }
    if (!isWhole || forgotten.has(host.name)) continue;
    found.lost += missing.length;
    if (missing.length === urls.length) found.neverLeased++;
    if (missing.length > 0) say(`${missing[0]} was not asked for`);
  }
  found.extra += byUrl.size;
  if (byUrl.size > 0) say(`${[...byUrl.keys()][0]} was asked for`);
  for (const { host, path, startNs } of requests) {
    const endNs = Math.min((forgotten.get(host) ?? Number.POSITIVE_INFINITY) + onItsWayNs, goneNs);
    if (startNs <= endNs) continue;
    found.late++;
    say(`${host}${path} was asked for ${(startNs - endNs) / 1e9} s too late`);
  }
}

/** Why each request for a page but the first was made. */
function repeatsOf(
  requests: readonly LogEntry[],
  { history, host, absences }: { history: History; host: Host; absences: readonly Absence[] },
): ('retried' | 'afterKills' | 'repeated')[] {
  const ofHost = history.retried.filter((order) => order.host === host.name);
  const inOrder = requests.toSorted((a, b) => a.startNs - b.startNs);
  return inOrder.slice(1).map((again, n) => {
    const before = inOrder[n] as LogEntry;
    const wasRetried = ofHost.some(({ fromNs, toNs }) => fromNs < again.startNs && toNs > before.startNs);
    const wasCutOff = absences.some(
      ({ fromNs, toNs }) =>
        fromNs < again.startNs &&
        fromNs - aroundKillNs < before.startNs &&
        toNs + aroundKillNs > before.startNs,
    );
    return wasRetried ? 'retried' : wasCutOff ? 'afterKills' : 'repeated';
  });
}
