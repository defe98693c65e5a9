import { randomUUID } from 'node:crypto';
import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseId,
  WebfarerError,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import {
  frameBounds,
  type Hello,
  linkVersion,
  obey,
  type Order,
  type Orders,
  type Peer,
  type SentFailure,
  type Welcome,
} from '@webfarer/protocol/link';
import type { RequestSecrets } from '@webfarer/protocol/job';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { type Conversation, converse } from './conversation.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import type { KnownPeers } from './known-peers.ts';
import { noOutbox, openOutbox } from './outbox.ts';
import { createRemoteLink } from './remote-link.ts';
import type { Spool } from './spool.ts';
import { createRoute, type Route } from './route.ts';
import type { Dial } from './socket.ts';

export interface LinkClientOptions {
  /** Addresses of coordinators: `http://host:7311`. Others are learnt from them. */
  urls: readonly string[];
  dial: Dial;
  worker: WorkerId;
  /** By which a coordinator tells this worker from another one of the same name; undefined: it need not. */
  key: string | undefined;
  /** Of the software. */
  version: string;
  /** Hosts it works on at the same time. */
  connections: number;
  /** Nonces of the crawls that it keeps a folder of. */
  keeps: () => string[];
  /** The crawls that it was told of; undefined: it is to be told of all. */
  asLeased: (() => CrawlId[]) | undefined;
  /** No other process of this worker lives, as the lock on its folder proves: what that one held is given back. */
  fresh: boolean;
  clock: Clock;
  random: () => number;
  /** Where reports are kept while no coordinator is there; undefined: then they fail. */
  outboxFile: string | undefined;
  /** Where the addresses of coordinators are kept, for the next process. */
  peers: KnownPeers;
  /** Where captures wait that go with the reports. */
  spool?: Spool;
  /** A coordinator that is certainly there is waited for so long, however busy it is. */
  leastPatienceMs?: number;
  /** What the coordinator tells this worker, whichever it is. `switch` is done here: nobody else need follow. */
  orders: Omit<Orders, 'switch'>;
  /** The link came, went or is being tried again. */
  changed: (state: LinkState) => void;
  /** No known coordinator takes this worker, and trying again is of no use. */
  refused: (error: WebfarerError) => void;
}

export interface LinkState {
  connected: boolean;
  /** Since this process began. */
  everConnected: boolean;
  url?: string;
  coordinator?: string;
  /** Since when it is as it is. */
  sinceMs: number;
  /** Failed tries since then. */
  attempts: number;
  /** Frames of reports that no coordinator has acknowledged. */
  outbox: number;
  lastError?: string;
}

/** A worker's way to its coordinators: the same link as in one process, carried by whichever coordinator is there. */
export interface LinkClient {
  readonly link: CoordinatorLink;
  /** What requests of a crawl carry in secret; the coordinator answers while this worker holds a lease of the crawl. */
  askSecrets(crawl: CrawlId): Promise<RequestSecrets>;
  /** Resolves at the first welcome; rejects when it is refused or stopped before. */
  start(): Promise<void>;
  /** Says bye. What no coordinator has acknowledged stays in the outbox. `failure`: why it cannot continue. */
  stop(failure?: SentFailure): Promise<void>;
  state(): LinkState;
  peers(): Peer[];
  /** Tells the coordinator what this worker does now, if that is another than the last time. `exactly`: in any case. */
  tellLook(look: WorkerLook, how: { exactly: boolean }): void;
  /** How often the coordinator wants to know what this machine uses; undefined: never, or there is none. */
  resourcesEveryMs(): number | undefined;
  /** Not kept for later where no coordinator is there. */
  tellResources(frame: ResourceFrame): void;
}

/** A coordinator that is asked to be left is waited for this long, while its last answers come. */
const LEAVE_PATIENCE_MS = 5_000;
const REASONS_KEPT = 100;
const fromCurrentOnly: readonly Order['type'][] = ['switch', 'crawls', 'crawl-news', 'peers', 'wake'];
/** How soon what a coordinator could not do is asked again. */
const AGAIN_MS = 1_000;
/** A connection that lasted no longer was none: the next is not tried at once. */
const SHORT_LIFE_MS = 1_000;

export function createLinkClient(options: LinkClientOptions): LinkClient {
  const { clock } = options;
  const session = randomUUID();
  const ended = new AbortController();
  const first = Promise.withResolvers<void>();
  const held = new Set<LeaseId>();
  const link = createRemoteLink({
    clock,
    held,
    // Until what was kept is sent and what a dead process held is freed, nothing new is asked.
    at: () => (ready ? current : undefined),
    delivery: () => delivery,
  });
  const route: Route = createRoute({ urls: options.urls, clock, random: options.random });
  let delivery: Delivery | undefined;
  let current: Conversation | undefined;
  let ready = false;
  /** Resolves when another connection is taken into use. */
  let adopted = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  let fresh = options.fresh;
  let sinceMs = clock.now();
  let everConnected = false;
  let lastError: string | undefined;
  /** Why the last try at each address failed since it was last connected. */
  const reasons = new Map<string, string>();
  let toldLook: { at: Conversation; text: string } | undefined;

  function hello(): Hello {
    return {
      type: 'hello',
      v: linkVersion,
      session,
      ...presented(options),
      holds: [...held].slice(0, frameBounds.leases),
      // What an earlier process was granted is none of its own until that is freed.
      keeps: options.keeps().slice(0, frameBounds.nonces),
      holdsAll: !fresh && current === undefined && held.size <= frameBounds.leases,
    };
  }

  function state(): LinkState {
    const { url } = route;
    const at = current && { url: url ?? '', coordinator: current.welcome.coordinator };
    return {
      connected: current !== undefined,
      everConnected,
      ...at,
      sinceMs,
      attempts: route.failures,
      outbox: delivery?.waiting ?? 0,
      ...(lastError === undefined ? {} : { lastError }),
    };
  }

  function changed(): void {
    options.changed(state());
  }

  async function connectTo(url: string, givenMs: number): Promise<Conversation> {
    const { dial, leastPatienceMs = 0 } = options;
    const patienceMs = Math.max(givenMs, leastPatienceMs);
    const { signal } = ended;
    let talk: Conversation | undefined;
    const orderFrom = (told: Order) => {
      // One that was left may still say where to go and what it serves, until it is closed.
      const isOld = talk !== undefined && talk !== current && current !== undefined;
      if (!isOld || !fromCurrentOnly.includes(told.type)) obey(told, orders);
    };
    talk = await converse({ url, dial, hello: hello(), clock, patienceMs, order: orderFrom, signal });
    return talk;
  }

  const orders: Orders = {
    ...options.orders,
    wake() {
      link.wake();
      options.orders.wake();
    },
    peers(peers) {
      learn(peers);
      options.orders.peers(peers);
    },
    switch: (to) => void moveTo(to),
  };

  function learn(peers: readonly Peer[]): void {
    route.learn(peers);
    options.peers.keep(route.peers());
  }

  /** Finds the new one first: until then the old one does. */
  async function moveTo(to: string | undefined): Promise<void> {
    const old = current;
    const target = to ?? route.other();
    if (!old || target === undefined) return;
    if (!route.mayUse(target)) {
      lastError = `the coordinator named ${target}, which is not encrypted: the token is not sent there`;
      return;
    }
    try {
      const next = await connectTo(target, LEAVE_PATIENCE_MS);
      if (current !== old || ended.signal.aborted) return next.leave('the attempt was abandoned');
      route.arrived(target);
      adopt(next);
      await Promise.race([
        old.settled(),
        clock.sleep(LEAVE_PATIENCE_MS, ended.signal).catch(() => undefined),
      ]);
      old.leave('switching to another coordinator');
    } catch (error) {
      lastError = String(error);
    }
  }

  function adopt(talk: Conversation): void {
    current = talk;
    everConnected = true;
    adopted.resolve();
    adopted = Promise.withResolvers<void>();
    ready = false;
    sinceMs = clock.now();
    lastError = undefined;
    reasons.clear();
    learn(talk.welcome.peers);
    void begin(talk);
  }

  /** What was kept goes first; only then is what a dead process held given back, and new work asked for. */
  async function begin(talk: Conversation): Promise<void> {
    greet(talk.welcome, orders);
    changed();
    while (current === talk && !ready && !ended.signal.aborted) {
      try {
        await delivery?.connect(talk);
        if (fresh) await talk.call({ type: 'release', leases: [], all: true });
        fresh = false;
        ready = current === talk;
      } catch (error) {
        lastError = String(error);
        await clock.sleep(AGAIN_MS, ended.signal).catch(() => undefined);
      }
    }
    if (!ready) return;
    first.resolve();
    orders.wake();
  }

  /** Reports a failure when it differs from the last one at the same address, not at every try. */
  function failedTry({ message }: WebfarerError, url: string): void {
    lastError = message;
    if (reasons.get(url) === message) return;
    if (reasons.size >= REASONS_KEPT) reasons.clear();
    reasons.set(url, message);
    changed();
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      const found = await route.find(connectTo, ended.signal, failedTry);
      if (ended.signal.aborted) {
        if (found instanceof WebfarerError) return;
        return found.leave('the worker is shutting down');
      }
      if (found instanceof WebfarerError) {
        lastError = found.message;
        if (isFinal(found, everConnected)) return refused(found);
        await route.pause(ended.signal);
        continue;
      }
      adopt(found);
      await ends();
    }
  }

  /** Until the connection in use is lost; one that was switched away from is none. */
  async function ends(): Promise<void> {
    for (;;) {
      const talk = current;
      if (!talk) return;
      // The one before may take its time to close: nobody waits for that.
      const why = await Promise.race([talk.closed, adopted.promise]);
      if (current !== talk || !why) continue;
      current = undefined;
      ready = false;
      delivery?.disconnect(talk);
      lastError = why.message;
      const short = clock.now() - sinceMs < SHORT_LIFE_MS;
      sinceMs = clock.now();
      changed();
      if (short) await route.pause(ended.signal);
      else route.lasted();
      if (isFinal(why, everConnected)) refused(why);
      return;
    }
  }

  function refused(error: WebfarerError): void {
    ended.abort(error);
    first.reject(error);
    options.refused(error);
  }

  return {
    link,
    askSecrets: (crawl) => link.secrets(crawl),
    state,
    peers: () => route.peers(),
    tellLook(look, { exactly }) {
      const { pause, waiting, inFlight, written } = look;
      const [soonest] = waiting;
      // Times run on by themselves: only another wait is news.
      const dueAtS = soonest && Math.round((clock.now() + soonest.dueInMs) / 2_000);
      const roughly = Math.ceil(Math.log2(inFlight + 1));
      const mib = written.reduce((sum, { bytes }) => sum + Math.round(bytes / 2 ** 20), 0);
      const text = JSON.stringify([roughly, pause?.text, soonest?.host, soonest?.why, dueAtS, mib]);
      if (!current || (!exactly && toldLook?.at === current && toldLook.text === text)) return;
      toldLook = { at: current, text };
      current.tell({ type: 'look', look });
    },
    resourcesEveryMs: () => current?.welcome.resourcesEveryMs,
    tellResources(frame) {
      if (current?.welcome.resourcesEveryMs !== undefined) current.tell({ type: 'resources', frame });
    },
    async start() {
      if (!running) {
        const { outboxFile } = options;
        const outbox = outboxFile === undefined ? noOutbox() : await openOutbox(outboxFile);
        route.remember(await options.peers.read());
        const { spool } = options;
        await spool?.begin(outbox.all().flatMap(({ sent }) => sent.reports));
        delivery = createDelivery({
          outbox,
          spool,
          clock,
          closed: (lease) => held.delete(lease),
          refused: (error) => {
            lastError = error.message;
          },
        });
        running = run();
        running.catch((error: unknown) => first.reject(error));
      }
      await first.promise;
    },
    async stop(failure) {
      const talk = current;
      ended.abort(new Error('stopped'));
      first.reject(new WebfarerError('interrupted', 'stopped before a coordinator was found'));
      first.promise.catch(() => undefined);
      if (talk) {
        const patience = new AbortController();
        const late = clock.sleep(LEAVE_PATIENCE_MS, patience.signal).catch(() => undefined);
        await Promise.race([talk.settled(), late]);
        talk.leave('the worker is shutting down', failure);
        await Promise.race([talk.closed, late]);
        talk.cut();
        patience.abort(new Error('over'));
      }
      await running;
      await delivery?.close();
      await options.peers.settled();
    },
  };
}

/** Who this worker is, and what it can do. */
function presented({ worker, key, version, connections, asLeased }: LinkClientOptions) {
  // The latest: there is more to do for them.
  const knows = asLeased?.().slice(-frameBounds.crawls);
  return { worker, key, version, connections, asksSecrets: true, ...(knows ? { asLeased: knows } : {}) };
}

function greet({ crawls, over }: Welcome, orders: Orders): void {
  orders.crawls(crawls);
  if (over !== undefined) orders.crawlNews({ crawls: [], gone: [], resting: [], over });
}

/**
 * A token that was accepted before is being rotated: the next attempt reads it again. One that never was accepted is the
 * wrong one, and the person who gave it is told at once.
 */
function isFinal({ code }: WebfarerError, everConnected: boolean): boolean {
  return code === 'worker-refused' || code === 'link-version' || (code === 'link-refused' && !everConnected);
}
