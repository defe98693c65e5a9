import {
  type CrawlId,
  type HostKey,
  type HostLease,
  type HostLeaseAnswer,
  type HostLeaseRequest,
  type LeaseId,
  type RobotsCopy,
  WebfarerError,
} from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import { isHostKey } from '@webfarer/protocol/url';
import type { GrantAnswer, GrantRequest } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { enter } from './entering.ts';
import { operationId } from '../../redis/client/operation.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { readEntry } from './context/entry-text.ts';
import type { GroupAnswer } from '../../redis/group-runner.ts';
import type { Ceiling } from './context/ledger.ts';
import { createPermits, type Permit, type Permits } from './permits.ts';
import { reportAll } from './reporting.ts';
import type { Reply } from '../../redis/wire/resp.ts';
import { dropLate } from '../../redis/shards.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** Rounds of asking groups in one call: hints may be stale when other processes lease too. */
const roundsAtMost = 20;
/** When to ask again for what a primary holds that does not answer, or grants nothing, now. */
const awayLookMs = 250;

export async function leaseHosts(context: Context, request: GrantRequest): Promise<GrantAnswer> {
  const { crawls, ledger } = context;
  const asked = request.crawls?.flatMap((id) => crawls.find(id) ?? []) ?? crawls.active();
  const running = asked.filter(({ state }) => state === 'running');
  for (const { c } of running) context.served.add(c);
  const permits = createPermits(ledger, running);
  try {
    return await leaseWith(context, request, { running, permits });
  } catch (error) {
    permits.abandon();
    throw error;
  }
}

/** What a lease would find out without a question to any group; it is noted all the same that the crawl is asked for. */
export function dueInMs(context: Context, id: CrawlId): number {
  const { backlog, crawls, groups, hints, shards } = context;
  const crawl = crawls.find(id);
  if (!crawl || shards.anyAway() || backlog?.anyFull()) return 0;
  if (crawl.state !== 'running') return Number.POSITIVE_INFINITY;
  context.served.add(crawl.c);
  const ms = hints.isUnsure(crawl.c) ? 0 : hints.firstDueMs(crawl.c, groups.now, isAny);
  context.hungry ||= ms > 0;
  return ms;
}

const isAny = () => true;

async function leaseWith(
  context: Context,
  request: GrantRequest,
  { running, permits }: { running: StoredCrawl[]; permits: Permits },
): Promise<GrantAnswer> {
  const { hints, groups, shards } = context;
  const leases: HostLease[] = [];
  await freeEnded(context, running);
  for (let round = 0; leases.length < request.hosts && round < roundsAtMost; round++) {
    const left = request.hosts - leases.length;
    const allowed = await permits.draw(left * request.urlsPerHost);
    // Groups in which a lease ran out are asked in any case: what they free may be leased again.
    const asking = running.map(({ c }) => ({ c, open: (allowed.get(c)?.pages ?? 0) > 0 }));
    const due = hints
      .due(asking, groups.now)
      .filter((group) => !shards.isAway(group) && !isFull(context, running, group));
    if (due.length > 0)
      leases.push(...(await askGroups(context, { request, due, asking, running, allowed, left })));
    if (due.length === 0) break;
  }
  const { reached, lost } = await permits.end();
  const isLost = (lease: HostLease) => running.some(({ c, id }) => id === lease.crawl && lost.has(c));
  // Others may have drawn the same pages by now.
  if (lost.size > 0) giveBack(context, leases.filter(isLost));
  context.hungry ||= leases.length < request.hosts;
  if (leases.length > 0) context.stirredAtMs = context.clock.now();
  return { leases: leases.filter((lease) => !isLost(lease)), ...outlook(context, running, reached) };
}

/** Too many results wait there, or its memory runs out: nothing new is begun (F11, F12). */
function isFull({ backlog }: Context, running: StoredCrawl[], group: number): boolean {
  return backlog !== undefined && running.some(({ c }) => backlog.isFull(c, group));
}

/** Under a ceiling, leases that ran out come first, in whatever group: what they free counts for all. */
async function freeEnded({ hints, groups, shards }: Context, running: StoredCrawl[]): Promise<void> {
  if (running.every(({ settings }) => settings.limits.pages === undefined)) return;
  const ended = hints.due([], groups.now);
  const nothingIn = (group: number) => {
    const here = running.filter(({ groups: own }) => own.has(group));
    return ['', '', 0, 0, ...here.flatMap(({ c }) => [c, 0])];
  };
  await shards.run(
    ended.map((group) => ({ group, script: scripts.lease, args: nothingIn(group) })),
    { skipAway: true, late: dropLate },
  );
}

interface Asking {
  request: GrantRequest;
  due: number[];
  asking: { c: string; open: boolean }[];
  running: StoredCrawl[];
  allowed: Map<string, Permit>;
  left: number;
}

async function askGroups(context: Context, asking: Asking): Promise<HostLease[]> {
  const { request, running, allowed, left } = asking;
  // Under a ceiling that may be reached in this round, groups are asked one by one: it must not be passed.
  const most = left * request.urlsPerHost;
  const scarce = running.some(({ c }) => (allowed.get(c)?.pages ?? 0) < most);
  const shares = chooseGroups(context, asking, scarce ? 1 : left);
  const asked = [...shares.keys()];
  // Others that somebody asks for elsewhere: they have their turns (F3).
  const others = context.crawls
    .active()
    .filter((crawl) => crawl.alive && crawl.state === 'running' && !running.includes(crawl));
  const permitsOf = ({ c, settings }: StoredCrawl) => {
    const { pages = -2 } = allowed.get(c) ?? {};
    const most = settings.limits.bytes === undefined ? -1 : anyPages;
    return Number.isFinite(pages) ? pages : most;
  };
  // Only those that have something there can be owed a turn: a call does not grow with all that are open.
  const permitsIn = (group: number) => {
    const here = running.filter(({ groups }) => groups.has(group));
    return ofTeams([...here, ...others.filter(({ c }) => context.hints.mayHave(c, group))], permitsOf);
  };
  const read = (answer: GroupAnswer): HostLease[] => {
    if (answer.kind !== 'ok') throw new Error(`a lease was answered ${answer.kind}`);
    const [grants] = answer.values as [Reply[]];
    return grants.map((grant) => readGrant(context, grant as Reply[], asking));
  };
  const calls = [...shares].map(([group, hosts]) => ({
    group,
    script: scripts.lease,
    args: [request.worker, operationId(), hosts, request.urlsPerHost, ...permitsIn(group)],
  }));
  for (const group of asked) context.asking.add(group);
  try {
    const late = (_call: unknown, answer: GroupAnswer) => giveBack(context, read(answer));
    const answers = await context.shards.run(calls, { late });
    return answers.flatMap((answer) => (answer ? read(answer) : []));
  } finally {
    for (const group of asked) context.asking.delete(group);
  }
}

/** Under a ceiling of bytes alone: groups lease nothing to those that know of no ceiling. */
const anyPages = 1_000_000_000;

/** Crawls with their permits, behind `t` and the name of a team where another one begins. */
function ofTeams(crawls: StoredCrawl[], permitsOf: (crawl: StoredCrawl) => number): (string | number)[] {
  const words: (string | number)[] = [];
  // The default team, of which nearly all crawls are, costs no words.
  let last = '';
  for (const crawl of crawls) {
    const { team = defaultTeam } = crawl.settings;
    const name = team === defaultTeam ? '' : team;
    if (name !== last) words.push('t', name);
    last = name;
    words.push(crawl.c, permitsOf(crawl));
  }
  return words;
}

/** Hosts that one call may lease (F16). */
const hostsAtOnce = 16;

/**
 * How many hosts to ask each group for: those waiting longest first, as many as are due there, but none that another
 * call asks at this moment, because it will have nothing left to give. Several from one group are one call, and the
 * reports about them are one, too. More than are known to be due are asked for where there are too few.
 */
function chooseGroups(
  { asking, hints }: Context,
  { due, asking: crawls, left: wanted }: Asking,
  most: number,
) {
  const free = due.filter((group) => !asking.has(group));
  const shares = new Map<number, number>();
  let left = wanted;
  for (const group of free.length > 0 ? free : due) {
    if (left === 0 || shares.size >= most) break;
    const share = Math.min(hints.dueHosts(group, crawls), hostsAtOnce, left);
    shares.set(group, share);
    left -= share;
  }
  let open = shares.size;
  for (const [group, share] of shares) {
    const extra = Math.ceil(left / open--);
    shares.set(group, share + extra);
    left -= extra;
  }
  return shares;
}

/** What was granted when nobody waited for it any more goes back to the queue; at the deadline, if that fails. */
function giveBack(context: Context, leases: HostLease[]): void {
  const news = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' } as const;
  const nothing = { settled: [], news, close: true };
  reportAll(
    context,
    leases.map(({ id, crawl, host, fence }) => ({ id, crawl, host, fence, ...nothing })),
  ).catch(() => undefined);
}

function readGrant(context: Context, grant: Reply[], { running, allowed }: Asking): HostLease {
  const [c, host, fence, ttlMs, list, robots, endedAgo] = grant as [
    string,
    HostKey,
    number,
    number,
    string[],
    string[],
    string,
  ];
  // It may have been deleted since it was asked for.
  const crawl = (context.crawls.byNumber(c) ?? running.find((one) => one.c === c)) as StoredCrawl;
  const entries = [];
  for (const text of list) {
    const end = text.indexOf('\n');
    entries.push(readEntry(text.slice(0, end), text.slice(end + 1), host));
  }
  const allowance = allowed.get(c);
  if (allowance) allowance.pages -= entries.filter(({ kind }) => kind === 'page').length;
  const copies = robots.map((text) => JSON.parse(text) as RobotsCopy);
  const ref = { id: leaseId(crawl, { host, fence }), crawl: crawl.id, host, fence };
  const endedAgoMs = readSpan(endedAgo);
  return { ...ref, part: partOf(context, host), ttlMs, endedAgoMs, entries, robots: copies };
}

/** Empty: there was none. */
function readSpan(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** Fences are counted per host, so the host is in it. */
function leaseId(crawl: StoredCrawl, { host, fence }: Granted): LeaseId {
  return `${fence.toString(36)}.${crawl.print(host)}` as LeaseId;
}

function partOf({ shards, placeOf }: Context, host: HostKey): number {
  return shards.numberOf(placeOf(host).group);
}

type Granted = Pick<HostLease, 'host' | 'fence'>;

/** When to ask again, and who was refused by a ceiling of its own. */
function outlook(
  context: Context,
  running: StoredCrawl[],
  reached: ReadonlyMap<string, Ceiling>,
): Pick<GrantAnswer, 'nextDueMs' | 'limited'> {
  const limited: GrantAnswer['limited'] = [];
  const { hints, groups, shards } = context;
  const isShut = shards.anyAway() || (context.backlog?.anyFull() ?? false);
  let next = isShut ? awayLookMs : Number.POSITIVE_INFINITY;
  const isOpen = (group: number) => !shards.isAway(group) && !isFull(context, running, group);
  for (const crawl of running) {
    const due = hints.firstDueMs(crawl.c, groups.now, isOpen);
    const by = reached.get(crawl.c);
    if (!by) next = Math.min(next, due);
    else if (due <= 0) limited.push({ crawl: crawl.id, by });
  }
  return { limited, nextDueMs: next === Number.POSITIVE_INFINITY ? null : next };
}

export async function leaseOneHost(context: Context, request: HostLeaseRequest): Promise<HostLeaseAnswer> {
  const { worker, host } = request;
  if (!isHostKey(host)) throw new WebfarerError('frame-invalid', `${JSON.stringify(host)} is not a host`);
  const crawl = await context.crawls.get(request.crawl);
  // Groups do not know the state: their mark only says that nothing has come in since a finisher looked (F9).
  if (crawl.state === 'finished') return { granted: false, retryAfterMs: 1_000 };
  const { site, group } = context.placeOf(host);
  await enter(context, crawl, [group]);
  const answer = await context.groups.one(group, scripts.leaseHost, [
    crawl.c,
    worker,
    host,
    site,
    operationId(),
  ]);
  if (answer.kind !== 'ok') throw new Error(`a lease was answered ${answer.kind}`);
  const [fence, ms, endedAgo = ''] = answer.values as [string, string, string?];
  if (fence === '') return { granted: false, retryAfterMs: Number(ms) };
  const ref = { crawl: crawl.id, host, fence: Number(fence) };
  const times = { ttlMs: Number(ms), endedAgoMs: readSpan(endedAgo) };
  const lease = { ...ref, part: partOf(context, host), ...times, entries: [], robots: [] };
  return { granted: true, lease: { id: leaseId(crawl, ref), ...lease } };
}
