import type { IncomingHttpHeaders } from 'node:http';
import { type DatedClock, systemClock } from '@webfarer/protocol';
import {
  liveViewSocketPath,
  routes,
  scopeCovers,
  type SiteOwnersSettings,
  streamPath,
} from '@webfarer/protocol/api';
import type { Storages } from '@webfarer/protocol/job';
import { createMetrics, type Metrics } from '@webfarer/protocol/metrics';
import { boundRegexps, type LogInSettings, openResourceProbe, reportProcess } from '@webfarer/protocol/node';
import { withoutUserinfo } from '@webfarer/protocol/url';
import { createApp } from './api/http/app.ts';
import type { Principal } from './api/call/call.ts';
import type { Tallies } from './api/call/crawl-surveys.ts';
import { confinedTo, mayFollow } from './api/call/topic-teams.ts';
import { maySee, noSuchCrawl } from './api/call/crawl-teams.ts';
import { auditEntry } from './api/http/audit-entry.ts';
import type { ArchiveReader } from './api/archive/archive-reader.ts';
import { createHandlers } from './api/handlers.ts';
import { openHttpServer } from './api/http/http-server.ts';
import { localOnly } from './api/http/local-only.ts';
import { type ListenAddress, namedAddress, urlOf } from './api/http/listen-address.ts';
import type { TlsFiles } from './api/http/tls-files.ts';
import { openConsoleFiles } from './console/console-files.ts';
import { openParts } from './coordinator.ts';
import type { Coordinator, CoordinatorParts } from './coordinator-parts.ts';
import type { CoordinatorOptions } from './coordinator-options.ts';
import { crawlDirectory } from './crawl-directory.ts';
import { logEvents } from './events/event-log.ts';
import { publishStoreNews } from './store/store-news.ts';
import { openEventLog } from './events/read-event-log.ts';
import { openScheduledCrawls, type ScheduledCrawls } from './scheduled-crawls.ts';
import { type CoordinatorCard, openCoordinatorCard, writeCoordinatorCard } from './folder/data-folder.ts';
import { createCrawlReaders } from './crawl-readers.ts';
import { createReadiness } from './readiness.ts';
import { certificateNews, reportCertificate } from './api/http/port-certificate.ts';
import { credentialsIn, logInCookies, sessionIn } from './log-in/cookies.ts';
import type { IssuerWay } from './log-in/issuer.ts';
import { createLogIn, type LogIn } from './log-in/log-in.ts';
import type { OneTimeLinks } from './log-in/one-time-links.ts';
import { openSessions, type Sessions } from './log-in/sessions.ts';
import type { StartLogin } from './live-login/live-login.ts';
import { createLiveLogins } from './live-login/live-logins.ts';
import { noSiteAccounts, type SiteAccounts } from './live-login/site-accounts.ts';
import { createLiveView } from './live-login/live-view.ts';
import { ownersText } from './owners/owners-text.ts';
import { createSiteOwners, type OwnerWay } from './owners/site-owners.ts';
import { openStream } from './stream/open-stream.ts';
import { tasksOf } from './stream/tasks.ts';
import { adoptTokens } from './tokens/earlier-tokens.ts';
import { folderTokens, type TokenFiles } from './tokens/folder-tokens.ts';
import { serveTokens } from './tokens/served-tokens.ts';
import { openTokenBook, type TokenBook } from './tokens/token-book.ts';
import { openTokenDocuments } from './tokens/token-documents.ts';
import { digestIn } from './tokens/tokens.ts';
import { type Cordons, openCordons } from './network/cordons.ts';
import { createNeighbours, type Neighbours } from './network/neighbours.ts';
import type { Fleet } from './network/fleet.ts';
import { fleetLists } from './network/fleet-documents.ts';
import { type NetworkStatus, workersNow } from './network/network-status.ts';
import { turnAway } from './link/sockets.ts';
import { workerId } from './link/worker-id.ts';
import type { WebhookPost } from './webhooks/webhook-sender.ts';
import { openWebhooks, type Webhooks } from './webhooks/webhooks.ts';
import { reportNetwork } from './metrics/report-network.ts';
import { ownUse } from './resources/own-use.ts';
import { createCpuProfiler } from './resources/cpu-profile.ts';
import { machineDocuments } from './resources/machine-documents.ts';
import { openStores } from './stores/open-stores.ts';
import { createResourceMonitor } from './resources/resource-monitor.ts';

export type { ArchiveReader } from './api/archive/archive-reader.ts';
export type { Tallies } from './api/call/crawl-surveys.ts';
export { isCrossOrigin } from './api/http/browser-guard.ts';
export { openHttpServer };
export {
  type LiveLogin,
  type LiveLoginEnd,
  type LoginWish,
  openLiveLogin,
  type StartedLogin,
  type StartLogin,
} from './live-login/live-login.ts';
export type { SiteAccounts } from './live-login/site-accounts.ts';
export { createOneTimeLinks, linkLifetimeMs, type OneTimeLinks } from './log-in/one-time-links.ts';
export { type MetricsServer, openMetricsServer } from './metrics/metrics-server.ts';
export type { OwnerWay };
export { openViewServer, type ViewServer } from './view-server.ts';

export interface ServerOptions {
  /** The data folder. */
  folder: string;
  /** Of the software. */
  version: string;
  listen: ListenAddress;
  /** How others reach it, where that is not the address it listens on. */
  advertise: string | undefined;
  /** Encrypt the port, with a certificate that is read again when its files change. */
  tls?: TlsFiles;
  /** Tokens to accept in place of those that the data folder would make. */
  tokenFiles?: TokenFiles;
  /** How much of the work it should have, beside the others of its store. */
  capacity?: number;
  /** A worker of this process will connect, so that its absence at first is no news. */
  expectsWorker: boolean;
  clock?: DatedClock;
  /** Where it is counted; a worker of the same process uses the same. */
  metrics?: Metrics;
  /** The way of webhooks to the web; absent: their messages wait for a coordinator that has one. */
  webhookPost?: WebhookPost;
  /** Users log in with an OpenID provider; absent: all have tokens. */
  logIn?: { settings: LogInSettings; way: IssuerWay };
  /** What the public page for the owners of sites says; absent: there is none. */
  siteOwners?: { settings: SiteOwnersSettings; way: OwnerWay };
  /** Object storage that jobs may name; absent: none. */
  storages?: Storages;
  /** For the person at this machine alone, with one crawl and no workers elsewhere; absent: all have tokens. */
  links?: OneTimeLinks;
  /** Where the built files of the web console are; absent: it is not served. */
  consoleFolder?: string;
  /** Checks archive files and reads captures from them; absent: they are only listed. */
  archiveReader?: ArchiveReader;
  /** Count results for those who ask; absent: they are not counted. */
  tallies?: Tallies;
  /** Opens browsers in which people log in to sites; absent: no worker of this process could use an account. */
  startLogin?: StartLogin;
  /** Accounts of sites on this machine; absent: no worker of this process could use one. */
  accounts?: SiteAccounts;
}

/** A port on which workers and operators reach a coordinator. */
export interface Server {
  readonly id: string;
  /** Where others reach it. */
  readonly url: string;
  readonly listen: ListenAddress;
  /** Opens the coordinator behind the port. Workers are accepted once `ready` is called. */
  host(
    options: Pick<
      CoordinatorOptions,
      'store' | 'ledger' | 'given' | 'host' | 'baseFolder' | 'sqlite' | 'drain'
    >,
  ): Promise<Coordinator>;
  /** Its crawls are open: before that, leases of workers that connect would look as if they were over. */
  ready(): Promise<void>;
  /** What is odd about the coordinator that was to be found in the same store. */
  warningsAbout(peer: string | undefined): string[];
  status(): Promise<NetworkStatus>;
  /** Ends the crawls that still run, says goodbye to the workers and closes the port. */
  stop(how?: { now?: boolean }): Promise<void>;
}

export async function openServer(options: ServerOptions): Promise<Server> {
  const { folder, version, links } = options;
  boundRegexps();
  const clock = options.clock ?? systemClock();
  const { metrics = createMetrics({ clock }) } = options;
  const card = await openCoordinatorCard(folder, version);
  const startedAtMs = clock.now();
  let tokens: TokenBook | undefined;
  let sessions: Sessions | undefined;
  let parts: CoordinatorParts | undefined;
  let neighbours: Neighbours | undefined;
  let scheduled: ScheduledCrawls | undefined;
  let cordons: Cordons | undefined;
  let webhooks: Webhooks | undefined;
  let closeReaders: (() => void) | undefined;
  let stores: ReturnType<typeof openStores> | undefined;
  let unreport = (): void => undefined;
  const unwatch: (() => void | Promise<void>)[] = [];
  let isReady = false;
  let storeNoted: Pick<CoordinatorCard, 'store'> = {};

  let handlers: ReturnType<typeof createHandlers> | undefined;
  let stream: ReturnType<typeof openStream> | undefined;
  const monitor = createResourceMonitor({
    id: card.id,
    clock,
    openProbe: () => openResourceProbe({ clock, folders: () => [folder] }),
    about: ownUse(() => parts, clock),
  });

  const liveLogins = createLiveLogins({ start: options.startLogin, clock });
  const liveView = createLiveView({ logins: () => liveLogins.all(), clock });

  const pages = options.consoleFolder === undefined ? undefined : openConsoleFiles(options.consoleFolder);
  const app = createApp({
    routes,
    handlers: () => handlers,
    authenticate: (header) => authenticate(credentialsIn(header, cookies)),
    async lookUp(header) {
      const secret = sessionIn(credentialsIn(header, cookies));
      return secret === undefined ? undefined : await sessions?.freshHolderOf(secret);
    },
    clock,
    ready: createReadiness({ parts: () => (isReady ? parts : undefined), clock }),
    storeTrouble() {
      const trouble = parts?.joined?.watch.trouble;
      return trouble?.cause === 'store' ? trouble.text : undefined;
    },
    status,
    page: (path, header) =>
      ownersText(path, options.siteOwners?.settings, version) ?? pages?.answer(path, header),
    changed: async (change) => await parts?.registry.note(auditEntry(change, Math.round(clock.wall()))),
    failed,
  });
  const answers: Parameters<typeof localOnly>[0] = {
    app,
    upgrades: {
      [streamPath](request, socket, head) {
        const { server } = stream ?? {};
        if (isReady && server)
          void knownSession(request.headers).then(() => server.handleUpgrade(request, socket, head));
        else turnAway(socket, '503 Service Unavailable', 'the coordinator is starting up');
      },
      [liveViewSocketPath]: (request, socket, head) => liveView.handleUpgrade(request, socket, head),
      '/link'(request, socket, head) {
        if (isReady && parts) parts.server.handleUpgrade(request, socket, head);
        else turnAway(socket, '503 Service Unavailable', 'the coordinator is starting up');
      },
    },
  };
  const face = await openHttpServer({
    listen: options.listen,
    ...(links ? localOnly(answers) : answers),
    tls: options.tls && certificateNews(options.tls, clock, () => parts?.events),
  });
  const url = options.advertise ?? urlOf(namedAddress(face.address), options.tls ? 'https' : 'http');

  /** A stream must know its user at once, also where another coordinator has opened the session just now. */
  async function knownSession(headers: IncomingHttpHeaders): Promise<void> {
    const secret = sessionIn(credentialsIn((name) => headers[name], cookies));
    if (secret !== undefined && !sessions?.holderOf(secret))
      await sessions?.freshHolderOf(secret).catch(() => undefined);
  }

  // Browsers may reach it through a proxy that ends TLS.
  const publicUrl = options.logIn?.settings.url ?? url;
  const cookies = logInCookies(publicUrl.startsWith('https:'));

  function authenticate(credentials: string | undefined): Principal | undefined {
    const secret = sessionIn(credentials);
    if (secret !== undefined) return sessions?.holderOf(secret);
    const digest = digestIn(credentials);
    return digest === undefined ? undefined : (links?.holderOf(digest) ?? tokens?.holderOf(digest));
  }

  /** Whoever may look at everything. */
  function viewer(credentials: string): Principal | undefined {
    const principal = authenticate(credentials);
    return principal && scopeCovers(principal.scope, 'viewer') ? principal : undefined;
  }

  function failed(error: unknown): void {
    parts?.events.publish({ type: 'request-failed', message: (error as Error).message });
  }

  /** For the holder of a token: the crawls of the own team, or all of them for an admin and for this process. */
  async function status(principal?: Principal): Promise<NetworkStatus> {
    const seen = (parts?.crawls() ?? []).filter((crawl) => !principal || maySee(principal, crawl));
    const crawls = await Promise.all(seen.map((crawl) => crawl.calmSnapshot().catch(() => undefined)));
    return {
      coordinator: { id: card.id, version, url, upMs: Math.round(clock.now() - startedAtMs) },
      crawls: crawls.filter((snapshot) => snapshot !== undefined),
      workers: parts ? workersNow(parts, clock) : [],
      // The crawls of a coordinator are those of all teams.
      peers: (neighbours?.status() ?? []).map((peer) =>
        principal && principal.scope !== 'admin' ? { ...peer, crawl: '' } : peer,
      ),
    };
  }

  async function openLogIn({ registry }: CoordinatorParts, known: Sessions): Promise<LogIn | undefined> {
    if (!options.logIn) return undefined;
    const { settings, way } = options.logIn;
    // Loaded where it is needed: most coordinators do without.
    const { openIssuer } = await import('./log-in/issuer.ts');
    const redirectUrl = publicUrl + routes.finishLogIn.path;
    const issuer = openIssuer({ settings, way, clock, redirectUrl });
    return createLogIn({ settings, issuer, sessions: known, registry, cookies, clock });
  }

  async function host(given: Parameters<Server['host']>[0]): Promise<Coordinator> {
    if (parts) return parts;
    const opened = await openParts(
      { ...given, folder, version, clock, id: card.id, metrics },
      {
        tokens: { trustOf: (digest) => (links ? undefined : tokens?.trustOf(digest)) },
        servesOthers: !links,
        expectsWorker: options.expectsWorker,
        othersServe: () => neighbours?.othersServe() ?? false,
        reportsCrawls: () => neighbours?.reportsCrawls() ?? true,
        async retire(over, signal) {
          await neighbours?.retire({ over, signal });
        },
        ended: async (end, run) => await webhooks?.ended(end, run),
        serving: () => neighbours?.serve(),
        async closing() {
          await webhooks?.stop();
          await neighbours?.stop();
        },
        rules: {
          isCordoned: (worker) => cordons?.isCordoned(worker) ?? false,
          isDraining: (worker) => cordons?.isDraining(worker) ?? false,
          closed: () => cordons?.closed(),
        },
        resources: monitor,
        link: {
          peers: () => neighbours?.peers() ?? [],
          stillDry: (hosts) => neighbours?.stillDry(hosts),
          elsewhere: () => neighbours?.elsewhere() ?? { dry: false, hosts: 0, workers: 0 },
        },
      },
    );
    logEvents(opened.events, folder);
    unwatch.push(publishStoreNews(opened.joined?.watch, opened.events, clock));
    const { registry, registryWatch: watch, events } = opened;
    const documents = openTokenDocuments(registry, clock);
    await adoptTokens(opened.joined?.frontier.earlierTokens ?? folderTokens(folder), documents);
    if (!links) unwatch.push(await serveTokens(documents, { ...options, id: card.id, events, clock }));
    tokens = await openTokenBook({ registry, watch, clock });
    sessions = await openSessions({ registry, watch, clock });
    const users = { sessions, cookies, links, logIn: await openLogIn(opened, sessions) };
    scheduled = openScheduledCrawls({ coordinator: opened, folder, clock, storages: options.storages });
    neighbours = createNeighbours({
      id: card.id,
      url,
      capacity: options.capacity ?? 1,
      clock,
      pool: opened.pool,
      server: opened.server,
      joined: opened.joined,
      crawls: () => opened.running(),
      changed: (ids) => opened.events.publish({ type: 'coordinators-changed', ids }),
      failed: (error) => opened.faulty(error),
    });
    if (given.store) storeNoted = { store: { ...given.store, url: withoutUserinfo(given.store.url) } };
    cordons = await openCordons({
      id: card.id,
      registry,
      watch,
      changed: (state) => neighbours?.cordon(state),
      workerChanged(worker, state) {
        if (state !== 'cordoned') opened.pool.tell(worker, state === 'active' ? 'wake' : 'drain');
        opened.pool.changed();
      },
    });
    webhooks = await openWebhooks({
      id: card.id,
      version,
      registry,
      watch,
      clock,
      // allow(chance): retries after an outage are spread, and nothing depends on how.
      random: Math.random,
      post: options.webhookPost,
      events: opened.events,
      metrics,
      crawl: (id) => opened.crawls().find((crawl) => crawl.id === id),
      failed: (error) => opened.faulty(error),
    });
    parts = opened;
    const crawls = crawlDirectory(opened, { folder, takesMore: !links });
    const fleet: Fleet = {
      monitor,
      profiler: createCpuProfiler(clock),
      cordons,
      workers: () => workersNow(opened, clock),
      coordinators: () => neighbours?.status() ?? [],
    };
    const own = { kind: 'coordinator', id: card.id } as const;
    const machines = machineDocuments(own, monitor, clock);
    stores = openStores({ clock, own, monitor, joined: opened.joined, folder });
    stream = openStream({
      id: card.id,
      clock,
      events: opened.events,
      frontier: opened.joined?.frontier,
      catalog: () => opened.catalog(),
      consumers: opened.consumers,
      registryWatch: watch,
      find: (named) => crawls.find(named),
      missing: noSuchCrawl,
      running: (id) => opened.crawls().find((crawl) => crawl.id === id),
      folderOf: (name) => opened.folderOf(name),
      tasks: (crawl) =>
        tasksOf({ crawls: () => opened.crawls(), leases: () => opened.pool.liveLeases() }, crawl),
      resources: () => Promise.resolve(machines()),
      fleet: { ...fleetLists(fleet, clock), stores: stores.read },
      authenticate: viewer,
      credentials: ({ headers }) => credentialsIn((name) => headers[name], cookies),
      authorize: (principal, topic) => mayFollow(principal, topic, crawls),
      confinedTo,
      failed,
    });
    opened.events.listen(['worker-left'], ({ worker }) => monitor.left(worker));
    monitor.start();
    stores.start();
    unreport = reportProcess({ metrics, clock, version, role: 'coordinator', folder });
    reportNetwork({ metrics, neighbours, webhooks });
    reportCertificate(metrics, face);
    const readers = createCrawlReaders({ opened, crawls, clock, version, tallies: options.tallies });
    const { urls } = readers;
    closeReaders = () => readers.close();
    const ruling = { registry, registryWatch: watch, rules: opened.rules };
    handlers = createHandlers({
      owners:
        options.siteOwners &&
        createSiteOwners({ ...options.siteOwners, ...ruling, version, crawls, urls, clock }),
      version,
      ...scheduled,
      webhooks,
      fleet,
      clock,
      metrics,
      crawls,
      ...readers,
      archiveReader: options.archiveReader,
      eventLog: openEventLog(folder),
      ...ruling,
      policies: opened.policies,
      tokens: documents,
      users,
      liveLogins,
      accounts: options.accounts ?? noSiteAccounts,
      openCrawls: () => opened.crawls(),
      teams: opened.teams,
      stream,
    });
    return opened;
  }

  return {
    id: card.id,
    url,
    listen: face.address,
    status: () => status(),
    host,
    async ready() {
      if (isReady || !parts) return;
      isReady = true;
      // Commands that look for a coordinator must not take a crawl folder for the data of one.
      if (!links) await writeCoordinatorCard(folder, { ...card, url, ...storeNoted });
      parts.events.publish({ type: 'coordinator-started', id: card.id, url, version });
      await neighbours?.start();
      webhooks?.start();
      // A worker of this process that died with leases has nothing more to deliver.
      await parts.workerGone(workerId(card.id));
      scheduled?.engine.start();
    },
    warningsAbout: (peer) => neighbours?.warningsAbout(peer) ?? [],
    async stop(how) {
      await scheduled?.engine.stop();
      isReady = false;
      for (const stop of unwatch) await stop();
      await liveLogins.stop();
      closeReaders?.();
      await liveView.stop();
      await stream?.server.stop();
      await Promise.all([monitor.stop(), stores?.stop()]);
      unreport();
      await parts?.stop(how);
      await face.stop();
      parts?.events.publish({ type: 'coordinator-stopped', id: card.id });
    },
  };
}
