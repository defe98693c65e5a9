import { createEventBus, createLinkServer, logEvents, newToken, tokenDigest } from '@webfarer/coordinator';
import type { Clock, CrawlSnapshot, Pause, Stall } from '@webfarer/protocol';
import { acknowledges, stallCauses } from '@webfarer/protocol/crawl';
import type { OpenWorker } from '@webfarer/worker';
import { openLocal } from '../local/local-crawl.ts';
import type { OpenCrewOptions } from '../local/open-crew.ts';
import type { OpenedCrawl, OpenOptions } from '../local-port.ts';
import type { CrawlRun } from '../crawl-run.ts';
import { workerId } from '../processes/worker-id.ts';
import { version } from '../version.ts';
import { createCrawlHub } from './crawl-hub.ts';
import { openCoordinatorCard, writeCoordinatorCard } from './data-folder.ts';
import { openHttpFace, type Readiness } from './http-face.ts';
import { type ListenAddress, namedAddress, urlOf } from './listen-address.ts';
import { createNeighbours, type PeerStatus } from './neighbours.ts';
import { networkCrew } from './network-crew.ts';
import { type TokenWatch, watchTokens } from './token-watch.ts';
import { folderTokens, openTokens } from './tokens.ts';

export interface CoordinatorServiceOptions {
  /** The data folder. */
  folder: string;
  listen: ListenAddress;
  /** How others reach it, where that is not the address it listens on. */
  advertise: string | undefined;
  /** Also fetch in this process. */
  withWorker: boolean;
  /** Where its worker looks for modules that a job names. */
  baseFolder: string;
  clock: Clock;
  /** How much of the work it should have, beside the others of its store. */
  capacity?: number;
  /** Another coordinator that should be found in the same store. */
  join?: string | undefined;
}

/** All that a coordinator knows, as `/status` shows it. */
export interface NetworkStatus {
  coordinator: { id: string; version: string; url: string; upMs: number };
  crawls: CrawlSnapshot[];
  workers: WorkerStatus[];
  /** All coordinators of its store, itself among them. */
  peers: PeerStatus[];
}

export interface WorkerStatus {
  worker: string;
  trust: string;
  address: string;
  version: string;
  connections: number;
  /** Hosts it holds now. */
  held: number;
  hungry: boolean;
  linkedMs: number;
  /** Why it has paused, where it has. */
  pause?: Pause;
  /** Outcomes it brought since this coordinator began, and how many a second lately. */
  pages: number;
  pagesPerSecond: number;
}

export interface CoordinatorService {
  readonly id: string;
  /** Where others reach it. */
  readonly url: string;
  readonly listen: ListenAddress;
  /** Opens a crawl as on one machine; its crew are the workers that are linked. */
  open(options: OpenOptions): Promise<OpenedCrawl>;
  /** Rejects when its own worker cannot go on. */
  readonly failure: Promise<never>;
  status(): Promise<NetworkStatus>;
  /** Ends the crawls that still go on, says goodbye to the workers and closes the port. */
  stop(): Promise<void>;
}

export async function openCoordinatorService(
  options: CoordinatorServiceOptions,
): Promise<CoordinatorService> {
  const { folder, clock } = options;
  const card = await openCoordinatorCard(folder, version);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const events = createEventBus({ clock, failed: failure.reject });
  logEvents(events, folder);
  let tokens: TokenWatch | undefined;
  /** Of its own worker, which is part of this process and ends with it. */
  const insideToken = newToken();
  const insideDigest = tokenDigest(insideToken);
  const hub = createCrawlHub(clock);
  const runs: CrawlRun[] = [];
  let worker: OpenWorker | undefined;
  const startedAtMs = clock.now();
  const server = createLinkServer({
    id: card.id,
    version,
    clock,
    link: hub.link,
    tokens: {
      get own() {
        return tokens ? [...tokens.digests('worker'), insideDigest] : [];
      },
      volunteer: [],
    },
    crawls: () => hub.crawls(),
    peers: () => neighbours.peers(),
    hostsQueued: () => hub.hostsQueued(),
    bodies: (crawl) => hub.bodies(crawl),
    releaseLeases: (worker) => hub.releaseLeases(worker),
    grantedTo: (worker) => hub.grantedTo(worker),
    stillDry: (hosts) => neighbours.stillDry(hosts),
    elsewhere: () => neighbours.elsewhere(),
    events,
  });
  /** Before the first crawl is open nobody is let in: a worker's leases would look as if they were over. */
  let ready = false;
  const face = await openHttpFace({
    listen: options.listen,
    operatorTokens: () => tokens?.digests('operator'),
    ready: readiness,
    status,
    link(request, socket, head) {
      if (ready) server.handleUpgrade(request, socket, head);
      else socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\r\n');
    },
  }).catch(async (error: unknown) => {
    // Its timers would keep the process.
    await server.stop('the port cannot be opened');
    throw error;
  });
  const url = options.advertise ?? urlOf(namedAddress(face.address));
  const neighbours = createNeighbours({
    id: card.id,
    url,
    capacity: options.capacity ?? 1,
    clock,
    server,
    isPinned: (id) => id === workerId(card.id),
    changed: (ids) => events.publish({ type: 'coordinators-changed', ids }),
  });

  /** It is ready if it can acknowledge what workers report. Whatever else a crawl waits for is told beside it. */
  async function readiness(): Promise<Readiness> {
    if (!ready) return { ready: false, cause: 'starting', reason: stallCauses.starting.meaning };
    const stalls = await Promise.all(runs.map(stallWithin(clock)));
    const worst = stalls.find((stall) => stall && !acknowledges(stall)) ?? stalls.find(Boolean);
    if (!worst) return { ready: true };
    // Anybody may ask: no names of hosts.
    return { ready: acknowledges(worst), cause: worst.cause, reason: stallCauses[worst.cause].meaning };
  }

  async function status(): Promise<NetworkStatus> {
    const rates = hub.rates();
    return {
      coordinator: { id: card.id, version, url, upMs: clock.now() - startedAtMs },
      crawls: await Promise.all(runs.map((run) => run.snapshot())),
      workers: server.workers().map(({ sinceMs, look, ...worker }) => ({
        ...worker,
        ...(look?.pause ? { pause: look.pause } : {}),
        linkedMs: Math.max(0, clock.now() - sinceMs),
        pages: rates.get(worker.worker)?.pages ?? 0,
        pagesPerSecond: rates.get(worker.worker)?.meter.perSecond() ?? 0,
      })),
      peers: neighbours.status(),
    };
  }

  /** Over the same link as any other, so that it gets its share and no more. Its folder is the coordinator's. */
  async function startWorker(token: string, connections: number): Promise<void> {
    const { openWorker } = await import('@webfarer/worker');
    worker = openWorker({
      link: {
        kind: 'network',
        urls: [urlOf({ ...face.address, host: reachable(face.address.host) })],
        token,
      },
      id: workerId(card.id),
      version,
      member: card.id,
      folder,
      folderOf: () => folder,
      baseFolder: options.baseFolder,
      connections,
      clock,
      random: Math.random,
    });
    worker.ended.catch(failure.reject);
    await worker.start();
  }

  return {
    id: card.id,
    url,
    listen: face.address,
    failure: failure.promise,
    status,
    async open(open) {
      const crew = async (parts: OpenCrewOptions) => {
        const tokenStore = parts.shared?.frontier.tokens ?? folderTokens(folder);
        await openTokens(folder, tokenStore, { clock, note: `coordinator ${card.id}` });
        tokens = await watchTokens(tokenStore, clock);
        const { crawl, job, desk } = parts;
        events.publish({ type: 'crawl-state', crawl, name: job.name, state: desk.state });
        const linked = networkCrew({
          hub,
          server,
          clock,
          events,
          expectsWorker: options.withWorker,
          othersServe: () => neighbours.othersServe(),
        });
        return await neighbours.crewed(parts, await linked(parts));
      };
      const opened = await openLocal({ ...open, network: { member: card.id, crew, events } });
      runs.push(opened.run);
      ready = true;
      await writeCoordinatorCard(folder, { ...card, url });
      events.publish({ type: 'coordinator-started', id: card.id, url, version });
      await neighbours.start();
      opened.store?.warnings.push(...neighbours.warningsAbout(options.join));
      // Its own worker frees what it held before, once it has delivered what it had finished.
      if (options.withWorker) await startWorker(insideToken, open.job.politeness.connections);
      else await hub.releaseLeases(workerId(card.id));
      return opened;
    },
    async stop() {
      // Usually they have ended; after a fault, what still runs would keep the process for ever.
      await Promise.all(runs.map((run) => run.stop()));
      await worker?.stop();
      tokens?.stop();
      ready = false;
      await server.stop(hub.isOver() ? 'every crawl is over' : 'it ends');
      await face.stop();
      await neighbours.stop();
      events.publish({ type: 'coordinator-stopped', id: card.id });
    },
  };
}

/** A store that is silent for so long is not there, whatever was seen last. */
const READY_PATIENCE_MS = 3_000;

function stallWithin(clock: Clock): (run: CrawlRun) => Promise<Pick<Stall, 'cause'> | undefined> {
  return async (run) => {
    const patience = new AbortController();
    const late = clock.sleep(READY_PATIENCE_MS, patience.signal).then(() => ({ cause: 'store' }) as const);
    late.catch(() => undefined);
    const seen = run.snapshot().then(({ stall }) => stall);
    try {
      return await Promise.race([seen, late]);
    } catch {
      return { cause: 'store' };
    } finally {
      patience.abort();
    }
  };
}

/** The wildcard address accepts connections but cannot be connected to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
