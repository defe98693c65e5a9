import type { HostKey, SiteKey } from '@webfarer/protocol';
import { groupOf } from '@webfarer/protocol/url';

/**
 * Names of all keys (F2). Everything of one group carries its tag `{g<n>}`, so that one script may touch it
 * and the engine moves it as one; the few things of the whole store carry `{wf}`. `c` is a crawl's number.
 *
 * | key | what |
 * |---|---|
 * | `{g}s` | string: off and last (its time), hold, and a word that says why it is closed |
 * | `{g}h:HOST` | hash: f fence, nb notBefore, le last end, why; the lease: hc crawl, hw worker, hg granted, hd deadline, hu heldUntil, ho over; cr crawls; op last operation |
 * | `{g}v` | string: when something changed here that upkeep looks at, at most 250 ms older than the last such change (F22) |
 * | `{g}x` | sorted set: held hosts by deadline, or by the end of the hold once the lease is over |
 * | `{g}e` | string: numbers of the crawls that were erased last, 100 at most |
 * | `{g}a` | set: numbers of the crawls that were opened here |
 * | `{g}n` | hash: texts that could not be read, by key, 100 at most, and under `#` how many there were |
 * | `{g}g:OPERATION` | string: what a lease call was granted, in case its answer is lost |
 * | `{g}g:doubt` | string: a process recently found the group's clock ahead (F5) |
 * | `{g}rb:ORIGIN` | string: copy of robots.txt |
 * | `{g}cm` | hash: what the crawl may do here |
 * | `{g}cc` | hash: its sums here |
 * | `{g}cp:HOST` | hash: q queued, l leased, dp and lp pages done and leased, by bytes, tr troubles, dd dead, rd ready, tn turn, kn known (2: it has had bands), t site, at place in the index |
 * | `{g}cq` | sorted set: hosts by due time |
 * | `{g}cb`, `{g}cz`, `{g}cw` | sets: hosts shut out by a full site, hosts to be settled, sites that are spent |
 * | `{g}ct:SITE`, `{g}cu:SITE` | hash: sums of a site; set: its hosts with a queue |
 * | `{g}c0:HOST`, `{g}c1:HOST` | lists: queued entries, sitemaps and others |
 * | `{g}c2:HOST` to `{g}c8:HOST` | lists: queued entries of the bands behind, in a job that asks for an order |
 * | `{g}cv:HOST` | hash: URLs that an offer can still ask more for, in a crawl with upgrades: upgrades.lua |
 * | `{g}cl:HOST` | hash: leased entries |
 * | `{g}ckN` | sets of integers: fingerprints of known URLs |
 * | `{g}cr` | stream: records that are not in a file yet (F11) |
 * | `{g}cy:OPERATION` | stream: records that are being rewritten without those of a forgotten host, for an hour |
 * | `{g}cj` | hash: links that count, by file whose results are being rewritten so |
 * | `{g}cf` | list: the files with the records before those, oldest first: range, who has it, records, bytes |
 * | `{g}cx` | string: the range somebody is writing to a file, who, and for how long that holds |
 * | `{g}cd` | set: ids of records in files whose URLs were requeued |
 * | `{g}co` | stream: the outbox, links on their way to other groups |
 * | `{wf}v`, `{wf}i`, `{wf}C` | hashes: version and suffix list, crawls by name, a crawl |
 * | `{wf}r` | set: crawls that are not finished |
 * | `{wf}n` | sorted set: crawls by the number of their last change, 10,000 at most |
 * | `{wf}A` | sorted set: crawls that somebody asks for URLs of, by how long that holds |
 * | `{wf}Cs` | hash: in which folder of which machine each of those who write files has them |
 * | `{wf}Cw` | hash: in which folder of which machine each process has what it keeps of the crawl, and which forgotten hosts are gone from there |
 * | `{wf}Ch` | hash: samples of the crawl's counts by level, and `first`: history/samples.ts |
 * | `{wf}Cb` | hash: pages and troubles of the crawl's busiest hosts, a field for each slot of time; `hosts` and `v`: which hosts, and how often that was written; `o`: when it was over, and the step of what is left: history/host-samples.ts |
 * | `{wf}Cl`, `{wf}Cd` | hashes: what the crawl uses of its own ceilings, by group and in all; pages that are drawn and not leased yet: ceilings.lua |
 * | `{wf}Cd:OPERATION` | string: a draw of the crawl that is over, in case that is said again |
 * | `{wf}Ca` | string: the same as the version before keeps it |
 * | `{wf}m`, `{wf}mover` | hash: groups that are being moved (F7); string: who moves them, for a while |
 * | `{wf}E:NONCE`, `{wf}Ei`, `{wf}En` | hashes: an entry of the catalog; nonces by id and by name of those that are not deleted |
 * | `{wf}Eo`, `{wf}Es:STATE`, `{wf}Et:TAG` | sorted sets: nonces by place, of all entries, of a state, of a tag |
 * | `{wf}Ed` | sorted set: digests of the nonces of removed entries, 10,000 at most |
 * | `{wf}Ev`, `{wf}El` | hash: numbers of the catalog's changes; sorted set: nonces by their latest change |
 * | `{wf}R:KIND`, `{wf}Ri:KIND` | hash: documents of the registry by id; sorted set: their ids |
 * | `{wf}Rv`, `{wf}Rl`, `{wf}Ra` | hash: numbers of the registry; sorted set: documents by their latest change, 1,000 at most; stream: audit log |
 * | `{wf}Ro:OPERATION` | string: what a change of the registry answered, in case its answer is lost |
 * | `{wf}j` | hash: jobs of crawls as earlier versions kept them, until the catalog adopts them |
 * | `{wf}T` | hash: tokens as earlier versions kept them, until the registry adopts them |
 * | `{wf}t`, `{wf}tg` | hashes: crawls that are being erased, number to id and nonce (F13), and to the groups they have come into |
 * | `{wf}K:DUTY` | string: who does a duty of the whole store, for a while |
 * | `{wf}M`, `{wf}Mc` | sorted sets: coordinators that take part by when they run out, and by their latest change |
 * | `{wf}Ml`, `{wf}Mt`, `{wf}Mn` | hashes: the life of each, what it says of itself, numbers of the latest changes |
 */
export const storeTag = '{wf}';

/** The lists of a host's queue, in the order they are served. */
export const queueLists = ['0:', '1:', '2:', '3:', '4:', '5:', '6:', '7:', '8:'] as const;
/** How many of them a host has in a job that asks for no order. */
export const plainLists = 2;

export function groupTag(group: number): string {
  return `{g${group}}`;
}

export interface HostPlace {
  site: SiteKey;
  group: number;
}

/** Remembered: the list of suffixes is long, and a crawl meets the same hosts again and again. */
const keptPlaces = 100_000;

export function placeFinder(
  groups: number,
  siteOf: (host: HostKey) => SiteKey,
): (host: HostKey) => HostPlace {
  const places = new Map<HostKey, HostPlace>();
  return (host) => {
    const found = places.get(host);
    if (found) return found;
    if (places.size >= keptPlaces) places.clear();
    const site = siteOf(host);
    const place = { site, group: groupOf(site) % groups };
    places.set(host, place);
    return place;
  };
}

/** The group's state: its time, and whether it is closed. */
export function stateKey(group: number): string {
  return `${groupTag(group)}s`;
}

/** Texts of the group that could not be read. */
export function asideKey(group: number): string {
  return `${groupTag(group)}n`;
}

/** Runs out by itself, and is only a convenience while it lasts: grants to be told again, copies of robots.txt. */
export function isPassing(key: string): boolean {
  return /^\{g\d+\}(g|rb):/.test(key);
}

/** What all keys of these crawls look like to the engine, and some of others: `crawlIn` tells them apart. */
export function patternOf(crawls: readonly string[]): string {
  return crawls.length === 1 ? `{*}${crawls[0]}*` : '{*}[0-9]*';
}

/** The number of the crawl a key belongs to: it ends where a letter begins, and for the lists of a host before 0: to 8:. */
export function crawlIn(key: string): string | undefined {
  return /^\{[^}]*\}(\d+?)(?:$|[a-z]|[0-8]:)/s.exec(key)?.[1];
}

/** The crawl's number, the host and its group, where the key says what a crawl keeps of a host. */
export function hostIn(key: string): { c: string; group: number; host: string } | undefined {
  const [, group, c = '', host = ''] = /^\{g(\d+)\}(\d+)p:(.*)$/s.exec(key) ?? [];
  return group === undefined ? undefined : { c, group: Number(group), host };
}
