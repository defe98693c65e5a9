import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  type CoordinatorLink,
  type Hello,
  type LinkCrawl,
  linkCloses,
  linkVersion,
  type Order,
  type Peer,
  type Trust,
  WebfarerError,
  type WorkerFrame,
  type WorkerId,
} from '@webfarer/protocol';
import { type Connection, openConnection } from './connection.ts';
import { type LinkLimits, linkLimits } from './link-limits.ts';
import { answerRequest } from './requests.ts';
import { type Seat, shareLeases } from './seats.ts';
import { openSockets, turnAway } from './sockets.ts';
import { type LinkTokens, trustOf } from './tokens.ts';

export interface LinkServerOptions {
  /** Of this coordinator. */
  id: string;
  /** Of the software. */
  version: string;
  clock: Clock;
  link: CoordinatorLink;
  tokens: LinkTokens;
  crawls: () => LinkCrawl[];
  peers: () => Peer[];
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** The process that held these is dead. Called for own workers only. */
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
  limits?: Partial<LinkLimits>;
  changed?: (event: LinkEvent) => void;
}

export type LinkEvent =
  | { type: 'joined'; worker: WorkerId; trust: Trust; address: string }
  | { type: 'left'; worker: WorkerId; reason: string }
  | { type: 'refused'; address: string; reason: string };

/** A worker that is connected now. */
export interface LinkedWorker {
  worker: WorkerId;
  trust: Trust;
  sinceMs: number;
  connections: number;
  /** Hosts it holds. */
  held: number;
  /** It could take more than there was when it last asked. */
  hungry: boolean;
  address: string;
  version: string;
}

/** Where workers connect to: carries the coordinator's link in frames. */
export interface LinkServer {
  /** For requests to `/link` that want to become a WebSocket. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  workers(): LinkedWorker[];
  /** False: it is not connected here. */
  tell(worker: WorkerId, order: Order): boolean;
  tellAll(order: Order): void;
  /** Something may be due: whoever went away hungry may ask again. */
  moreDue(): void;
  /** Says bye to everybody; they look for another coordinator. */
  stop(): Promise<void>;
}

interface Member extends Omit<LinkedWorker, 'held' | 'hungry'> {
  connection: Connection;
  seat: Seat;
}

export function createLinkServer(options: LinkServerOptions): LinkServer {
  const { clock, id, version } = options;
  const limits = { ...linkLimits, ...options.limits };
  const sockets = openSockets(limits.frameBytes);
  const share = shareLeases(options.link, options.hostsQueued);
  const connections = new Set<Connection>();
  const members = new Map<WorkerId, Member>();
  const ended = new AbortController();
  const allClosed = Promise.withResolvers<void>();
  const tellChange = (event: LinkEvent) => options.changed?.(event);

  function refuse(socket: Duplex, address: string, status: string, reason: string): void {
    turnAway(socket, status, reason);
    tellChange({ type: 'refused', address, reason });
  }

  function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = request.socket.remoteAddress ?? 'unknown';
    if (ended.signal.aborted) return refuse(socket, address, '503 Service Unavailable', 'going away');
    // Workers send none: a browser that a stranger's page sends here does.
    if (request.headers.origin !== undefined)
      return refuse(socket, address, '403 Forbidden', 'the link is for workers, not for browsers');
    const trust = trustOf(request.headers.authorization, options.tokens);
    if (trust === undefined)
      return refuse(socket, address, '401 Unauthorized', 'the token is missing or not accepted here');
    if (connections.size >= limits.workers)
      return refuse(socket, address, '503 Service Unavailable', `${limits.workers} workers are connected`);
    sockets.accept(request, socket, head, (accepted) => {
      const visit = openVisit(trust, address);
      const { connection, events } = openConnection(accepted, { clock, limits, ...visit });
      visit.begin(connection);
      return events;
    });
  }

  /** One connection from its first frame to its last. */
  function openVisit(trust: Trust, address: string) {
    let connection: Connection;
    let member: Member | undefined;
    const greeted = new AbortController();

    async function handle(frame: WorkerFrame): Promise<void> {
      if (frame.type === 'hello') return greet(frame);
      if (!member) throw new WebfarerError('frame-invalid', `${frame.type} came before hello`);
      if (frame.type === 'bye') return connection.close(linkCloses.bye, 'bye');
      if (frame.type === 'dry') return;
      const value = await answerRequest(frame, member, options);
      connection.send({ type: 'answer', id: frame.id, value: value ?? null });
    }

    function greet(hello: Hello): void {
      if (member) throw new WebfarerError('frame-invalid', 'hello came twice');
      if (hello.v !== linkVersion) return turnOut(versionSentence(hello, version));
      greeted.abort(new Error('greeted'));
      const worker = (trust === 'own' ? hello.worker : `v:${hello.worker}`) as WorkerId;
      const before = members.get(worker);
      before?.connection.close(linkCloses.replaced, 'another connection of the same worker took its place');
      before?.seat.leave();
      const moreDue = () => connection.send({ type: 'more-due' });
      const seat = share.join(worker, { moreDue, holds: hello.holds });
      const { connections: hands, version: software } = hello;
      member = {
        worker,
        trust,
        sinceMs: clock.now(),
        connections: hands,
        address,
        version: software,
        connection,
        seat,
      };
      members.set(worker, member);
      connection.send({
        type: 'welcome',
        v: linkVersion,
        coordinator: id,
        version,
        trust,
        crawls: options.crawls(),
        peers: options.peers(),
        heartbeatMs: limits.heartbeatMs,
      });
      tellChange({ type: 'joined', worker, trust, address });
    }

    function turnOut(sentence: string): void {
      connection.send({ type: 'error', code: 'link-version', message: sentence });
      connection.close(linkCloses.refused, sentence);
      tellChange({ type: 'refused', address, reason: sentence });
    }

    return {
      begin(opened: Connection): void {
        connection = opened;
        connections.add(opened);
        clock.sleep(limits.helloMs, greeted.signal).then(
          () => connection.close(linkCloses.refused, 'no hello came'),
          () => undefined,
        );
      },
      handle,
      closed(reason: string): void {
        greeted.abort(new Error('closed'));
        connections.delete(connection);
        if (connections.size === 0 && ended.signal.aborted) allClosed.resolve();
        if (!member) return;
        member.seat.leave();
        if (members.get(member.worker) !== member) return;
        members.delete(member.worker);
        tellChange({ type: 'left', worker: member.worker, reason });
      },
    };
  }

  async function keepBeating(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(limits.heartbeatMs, ended.signal).catch(() => undefined);
      for (const connection of connections) connection.beat();
    }
  }
  void keepBeating();

  return {
    handleUpgrade,
    workers: () =>
      [...members.values()].map(({ connection: _connection, seat, ...rest }) => ({
        ...rest,
        held: seat.held.size,
        hungry: seat.hungry,
      })),
    tell: (worker, order) => members.get(worker)?.connection.send(order) ?? false,
    tellAll(order) {
      for (const { connection } of members.values()) connection.send(order);
    },
    moreDue: () => share.wakeHungry(),
    async stop() {
      ended.abort(new Error('stopped'));
      for (const connection of connections) {
        connection.send({ type: 'bye', reason: 'the coordinator ends' });
        connection.close(linkCloses.bye, 'the coordinator ends');
      }
      if (connections.size > 0) await allClosed.promise;
    },
  };
}

function versionSentence({ v, version }: Hello, own: string): string {
  const what = v > linkVersion ? `this coordinator (version ${own})` : `the worker (version ${version})`;
  return `the worker speaks version ${v} of the link, this coordinator version ${linkVersion}: upgrade ${what}`;
}
