import {
  type Clock,
  type CrawlId,
  type HostLease,
  type LeaseId,
  type LeaseRef,
  WebfarerError,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import {
  type ForeignHello,
  type Hello,
  type LinkCrawl,
  linkCloses,
  linkVersion,
  type Peer,
  type Request,
  type Trust,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import { type Bodies, type BodiesOptions, createBodies } from './bodies.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Connection } from './connection.ts';
import type { Ghosts } from './ghosts.ts';
import type { LinkLimits } from './link-limits.ts';
import { answerRequest, type RequestParts, untouched } from './requests.ts';
import type { LeaseShare, Seat } from './seats.ts';
import { type CrawlRules, crawlRules, volunteerSeat } from './volunteer-seat.ts';

/** A worker that is connected now. */
export interface Member {
  worker: WorkerId;
  session: string;
  trust: Trust;
  sinceMs: number;
  connections: number;
  address: string;
  version: string;
  connection: Connection;
  seat: Seat;
  bodies: Bodies;
  /** What it last said it does, and when. */
  look?: WorkerLook & { atMs: number };
}

/** What all visits of a server share. */
export interface Hall extends RequestParts {
  id: string;
  version: string;
  clock: Clock;
  limits: LinkLimits;
  crawls: () => LinkCrawl[];
  peers: () => Peer[];
  bodies: BodiesOptions['intakeOf'];
  grantedTo: (worker: WorkerId) => Promise<LeaseRef[]>;
  share: LeaseShare;
  members: Map<WorkerId, Member>;
  ghosts: Ghosts;
  events: Pick<EventBus, 'publish'>;
}

export interface Visit {
  begin(connection: Connection): void;
  handle(frame: WorkerFrame): Promise<void>;
  closed(reason: string): void;
}

/** One connection of a worker, from its hello to its end. */
export function openVisit(hall: Hall, { trust, address }: { trust: Trust; address: string }): Visit {
  const { clock, limits, share, members, ghosts } = hall;
  const greeted = new AbortController();
  let connection: Connection;
  let member: Member | undefined;

  async function handle(frame: WorkerFrame): Promise<void> {
    if (frame.type === 'hello') return await greet(frame);
    if (frame.type === 'foreign-hello') return turnOut(frame);
    if (!member) throw new WebfarerError('frame-invalid', `${frame.type} came before hello`);
    if (frame.type === 'bye') return connection.close(linkCloses.bye, 'bye');
    if (frame.type === 'dry') return member.seat.dry(frame.hosts);
    if (frame.type === 'look') {
      member.look = { ...frame.look, atMs: clock.now() };
      return;
    }
    await serve(frame, member);
  }

  async function serve(request: Request, asking: Member): Promise<void> {
    const value = await answerRequest(request, asking, hall);
    if (connection.send({ type: 'answer', id: request.id, value: value ?? null })) return;
    // It never left: nobody knows of these leases.
    const undelivered = grantsIn(request, value);
    if (undelivered.length > 0) await asking.seat.report(undelivered.map(untouched));
  }

  async function greet(hello: Hello): Promise<void> {
    if (member) throw new WebfarerError('frame-invalid', 'hello came twice');
    greeted.abort(new Error('greeted'));
    // A stranger cannot take the place of an own worker by taking its name.
    const worker = (trust === 'own' ? hello.worker : `v:${hello.worker}`) as WorkerId;
    replace(worker);
    const { session, holds, holdsAll } = hello;
    member = {
      worker,
      session,
      trust,
      sinceMs: clock.now(),
      connections: hello.connections,
      address,
      version: hello.version,
      connection,
      seat: seatFor(worker, trust === 'own' ? holds : []),
      bodies: createBodies({ trust, intakeOf: hall.bodies }),
    };
    members.set(worker, member);
    const lost = trust === 'own' && holdsAll ? await neverReached(worker, session, holds) : [];
    if (lost.length > 0) await member.seat.report(lost.map(untouched));
    welcome();
    hall.events.publish({ type: 'worker-joined', worker, trust, address });
  }

  /** Grants that it does not know of: those of this process, and those that a dead one of ours left in the store. */
  async function neverReached(worker: WorkerId, session: string, holds: LeaseId[]): Promise<LeaseRef[]> {
    const known = new Set(holds);
    const lost = new Map(ghosts.back(worker, session, holds).map((ref) => [ref.id, ref]));
    for (const ref of await hall.grantedTo(worker)) if (!known.has(ref.id)) lost.set(ref.id, ref);
    return [...lost.values()];
  }

  function replace(worker: WorkerId): void {
    const before = members.get(worker);
    if (!before) return;
    leave(before);
    before.connection.close(linkCloses.replaced, 'another connection of the same worker took its place');
  }

  function seatFor(worker: WorkerId, holds: Hello['holds']): Seat {
    const seat = share.join(worker, {
      moreDue: () => connection.send({ type: 'wake' }),
      water: (hosts) => connection.send({ type: 'water', hosts }),
      holds,
    });
    return trust === 'own' ? seat : volunteerSeat(seat, rulesFor(hall.crawls));
  }

  function welcome(): void {
    connection.send({
      type: 'welcome',
      v: linkVersion,
      coordinator: hall.id,
      version: hall.version,
      trust,
      crawls: hall.crawls().map((crawl) => toldTo(trust, crawl)),
      peers: hall.peers(),
      heartbeatMs: limits.heartbeatMs,
    });
  }

  function leave(one: Member): void {
    one.seat.leave();
    one.bodies.leave();
    if (one.trust === 'own') ghosts.left(one.worker, one.session, one.seat.held);
    if (members.get(one.worker) === one) members.delete(one.worker);
  }

  function turnOut(hello: ForeignHello): void {
    const sentence = versionSentence(hello, hall.version);
    connection.send({ type: 'error', code: 'link-version', message: sentence });
    connection.close(linkCloses.refused, sentence);
    hall.events.publish({ type: 'worker-refused', address, reason: sentence });
  }

  return {
    handle,
    begin(opened) {
      connection = opened;
      clock.sleep(limits.helloMs, greeted.signal).then(
        () => connection.close(linkCloses.refused, 'no hello came'),
        () => undefined,
      );
    },
    closed(reason) {
      greeted.abort(new Error('closed'));
      if (!member || members.get(member.worker) !== member) return;
      leave(member);
      hall.events.publish({ type: 'worker-left', worker: member.worker, reason });
    },
  };
}

/** What a worker is told of a crawl: never what only a coordinator needs, and a stranger no secrets at all. */
export function toldTo(trust: Trust, crawl: LinkCrawl): LinkCrawl {
  const { store: _store, ...job } = crawl.job;
  if (trust === 'own') return { ...crawl, job };
  const { cookieFile: _cookieFile, ...fetch } = job.fetch;
  return {
    ...crawl,
    job: {
      ...job,
      login: [],
      fetch: { ...fetch, proxy: [], headers: [], credentials: [], allowPrivate: [] },
    },
  };
}

/** The leases in an answer to that request. */
function grantsIn(request: Request, value: unknown): HostLease[] {
  if (request.type === 'lease') return (value as { leases: HostLease[] }).leases;
  if (request.type !== 'leaseHost') return [];
  const answer = value as { granted: boolean; lease: HostLease };
  return answer.granted ? [answer.lease] : [];
}

function rulesFor(crawls: () => LinkCrawl[]): (id: CrawlId) => CrawlRules | undefined {
  const known = new Map<CrawlId, { revision: string; rules: CrawlRules }>();
  return (id) => {
    const crawl = crawls().find((each) => each.id === id);
    if (crawl && known.get(id)?.revision !== crawl.revision)
      known.set(id, { revision: crawl.revision, rules: crawlRules(crawl) });
    return known.get(id)?.rules;
  };
}

function versionSentence({ v, version }: ForeignHello, own: string): string {
  const what = v > linkVersion ? `the coordinator (Webfarer ${own})` : `the worker (Webfarer ${version})`;
  return `the worker speaks version ${v} of the link, the coordinator version ${linkVersion}: upgrade ${what}`;
}
