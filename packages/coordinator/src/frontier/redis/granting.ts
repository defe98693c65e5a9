import {
  type HostKey,
  type HostLease,
  type HostLeaseAnswer,
  type HostLeaseRequest,
  type LeaseId,
  type RobotsCopy,
  WebfarerError,
} from '@webfarer/protocol';
import { isHostKey } from '@webfarer/protocol/url';
import type { GrantAnswer, GrantRequest } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { operationId } from '../../redis/client/operation.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { readEntry } from './context/entry-text.ts';
import type { GroupAnswer } from '../../redis/group-runner.ts';
import type { Allowance } from './context/ledger.ts';
import { reportAll } from './reporting.ts';
import type { Reply } from '../../redis/wire/resp.ts';
import { dropLate } from '../../redis/shards.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** Rounds of asking groups in one call: hints may be stale when other processes lease too. */
const roundsAtMost = 20;
/** When to ask again for what a primary holds that does not answer, or grants nothing, now. */
const awayLookMs = 250;

export async function leaseHosts(context: Context, request: GrantRequest): Promise<GrantAnswer> {
  const { crawls, hints, groups, shards, ledger } = context;
  const running = crawls
    .all()
    .filter(({ state, id }) => state === 'running' && (request.crawls?.includes(id) ?? true));
  for (const { c } of running) context.served.add(c);
  const leases: HostLease[] = [];
  await freeEnded(context, running);
  for (let round = 0; leases.length < request.hosts && round < roundsAtMost; round++) {
    const left = request.hosts - leases.length;
    const allowed = await drawAll(context, running, left * request.urlsPerHost);
    // Groups in which a lease ran out are asked in any case: what they free may be leased again.
    const asking = running.map(({ c }) => ({ c, open: (allowed.get(c)?.pages ?? 0) > 0 }));
    const due = hints
      .due(asking, groups.now)
      .filter((group) => !shards.isAway(group) && !isFull(context, running, group));
    if (due.length > 0)
      leases.push(...(await askGroups(context, { request, due, asking, running, allowed, left })));
    // What is leased now is in use, as the groups have told; what was drawn for it is put back.
    for (const [c, { drawn }] of allowed)
      if (Number.isFinite(drawn)) ledger.note(c, { pages: -drawn, bytes: 0 });
    if (due.length === 0) break;
  }
  context.hungry ||= leases.length < request.hosts;
  if (leases.length > 0) context.stirredAtMs = context.clock.now();
  await ledger.settle();
  return { leases, ...(await outlook(context, running)) };
}

/** Too many results wait there, or its memory runs out: nothing new is begun (F11, F12). */
function isFull({ backlog }: Context, running: StoredCrawl[], group: number): boolean {
  return backlog !== undefined && running.some(({ c }) => backlog.isFull(c, group));
}

/** Under a ceiling, leases that ran out come first, in whatever group: what they free counts for all. */
async function freeEnded({ hints, groups, shards }: Context, running: StoredCrawl[]): Promise<void> {
  if (running.every(({ settings }) => settings.limits.pages === undefined)) return;
  const ended = hints.due([], groups.now);
  const nothing = ['', '', 0, 0, ...running.flatMap(({ c }) => [c, 0])];
  await shards.run(
    ended.map((group) => ({ group, script: scripts.lease, args: nothing })),
    { skipAway: true, late: dropLate },
  );
}

type Allowed = Map<string, Allowance & { drawn: number }>;

async function drawAll({ ledger }: Context, running: StoredCrawl[], wanted: number): Promise<Allowed> {
  const all = await Promise.all(running.map((crawl) => ledger.draw(crawl, wanted)));
  return new Map(running.map(({ c }, i) => [c, { ...(all[i] as Allowance), drawn: all[i]?.pages ?? 0 }]));
}

interface Asking {
  request: GrantRequest;
  due: number[];
  asking: { c: string; open: boolean }[];
  running: StoredCrawl[];
  allowed: Allowed;
  left: number;
}

async function askGroups(context: Context, asking: Asking): Promise<HostLease[]> {
  const { request, running, allowed, left } = asking;
  // Under a ceiling that may be reached in this round, groups are asked one by one: it must not be passed.
  const most = left * request.urlsPerHost;
  const scarce = running.some(({ c }) => (allowed.get(c)?.pages ?? 0) < most);
  const shares = chooseGroups(context, asking, scarce ? 1 : left);
  const asked = [...shares.keys()];
  const permits = running.flatMap(({ c }) => {
    const { pages = 0 } = allowed.get(c) ?? {};
    return [c, Number.isFinite(pages) ? pages : -1];
  });
  // Others that somebody asks for elsewhere: they have their turns (F3).
  const others = context.crawls
    .all()
    .filter((crawl) => crawl.alive && crawl.state === 'running' && !running.includes(crawl));
  for (const { c } of others) permits.push(c, -2);
  const read = (answer: GroupAnswer): HostLease[] => {
    if (answer.kind !== 'ok') throw new Error(`a lease was answered ${answer.kind}`);
    const [grants] = answer.values as [Reply[]];
    return grants.map((grant) => readGrant(context, grant as Reply[], asking));
  };
  const calls = [...shares].map(([group, hosts]) => ({
    group,
    script: scripts.lease,
    args: [request.worker, operationId(), hosts, request.urlsPerHost, ...permits],
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
async function outlook(
  context: Context,
  running: StoredCrawl[],
): Promise<Pick<GrantAnswer, 'nextDueMs' | 'limited'>> {
  const limited: GrantAnswer['limited'] = [];
  const { hints, groups, shards } = context;
  const isShut = shards.anyAway() || (context.backlog?.anyFull() ?? false);
  let next = isShut ? awayLookMs : Number.POSITIVE_INFINITY;
  const isOpen = (group: number) => !shards.isAway(group) && !isFull(context, running, group);
  for (const crawl of running) {
    const due = hints.firstDueMs(crawl.c, groups.now, isOpen);
    const { by } = await context.ledger.draw(crawl, 0);
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
