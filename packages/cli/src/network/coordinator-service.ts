import { consoleFolder as builtConsole } from '@webfarer/console';
import {
  type Coordinator,
  headless,
  type IntakeParts,
  keepPassword,
  type ListenAddress,
  type NetworkStatus,
  type ProcessLog,
  openSharedLedger,
  memberOf,
  readCoordinatorStore,
  readManifest,
  type SharedLedger,
  type TlsFiles,
  type TokenFiles,
  workerId,
} from '@webfarer/coordinator';
import {
  type LoginWish,
  type OneTimeLinks,
  openServer,
  type StartedLogin,
} from '@webfarer/coordinator/server';
import { type DatedClock, type CrawlId, WebfarerError } from '@webfarer/protocol';
import { resolveJob, type Storages, type StoreChoice } from '@webfarer/protocol/job';
import { createMetrics, type Metrics } from '@webfarer/protocol/metrics';
import type { SiteOwnersSettings } from '@webfarer/protocol/api';
import type { LogInSettings } from '@webfarer/protocol/node';
import { givenStoreFor, isGivenStore, withGivenSecrets } from '../secrets/given-secrets.ts';
import type { OpenedCrawl, OpenOptions } from '../crawl/local-port.ts';
import { machineAccounts } from '../accounts/machine-accounts.ts';
import { startLogin } from '../accounts/start-login.ts';
import { createHandle } from '../local/crawl-handle.ts';
import { crawlHost, createIn, openedCrawl, storeIn } from '../local/local-crawl.ts';
import { type LocalWorker, type LocalWorkerOptions, openLocalWorker } from '../local/local-worker.ts';
import { version } from '../machine/version.ts';
import type { Tracing } from '@webfarer/worker';
import { openCrawlIntake } from './crawl-intake.ts';
import { openIssuerWay } from './issuer-way.ts';
import { openOwnerWay } from './owner-way.ts';
import { openWebhookPost } from './webhook-post.ts';
import { archiveReader } from './archive-reader.ts';
import { tallies } from './tallies.ts';

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
  clock: DatedClock;
  /** How much of the work it should have, beside the others of its store. */
  capacity?: number;
  /** Tokens to accept in place of those that the data folder would make. */
  tokenFiles?: TokenFiles;
  /** Encrypt the port. */
  tls?: TlsFiles;
  /** For the person at this machine alone: one crawl, fetched by this process. Absent: for all who have tokens. */
  links?: OneTimeLinks;
  /** Private addresses that webhooks may be sent to. */
  webhookPrivate?: readonly string[];
  /** Users log in with an OpenID provider. */
  logIn?: LogInSettings;
  /** What the public page for the owners of sites says; absent: there is none. */
  siteOwners?: SiteOwnersSettings;
  /** Object storage that jobs may name. */
  storages?: Storages;
  /** Where it is counted, and its worker. */
  metrics?: Metrics;
  /** Where the built files of the web console are; absent: as installed. */
  consoleFolder?: string;
  /** Follows what its worker does; absent: nobody does. */
  tracing?: Tracing | undefined;
  /** Where its events are written, beside the log in its folder. */
  log?: ProcessLog | undefined;
  /** Another coordinator that should be found in the same store. */
  join?: string | undefined;
  /** Also has the crawls of its catalog, and follows what other coordinators of the store do with theirs. */
  standing?: boolean;
}

export interface CoordinatorService {
  readonly id: string;
  /** Where others reach it. */
  readonly url: string;
  readonly listen: ListenAddress;
  /** Opens a crawl as on one machine; the workers that are connected fetch for it. */
  open(options: OpenOptions): Promise<OpenedCrawl>;
  /** Takes up what it has, and waits for crawls that are given to it later. */
  stand(options: StandingOptions): Promise<Standing>;
  status(): Promise<NetworkStatus>;
  /** Ends the crawls that still run, says goodbye to the workers and closes the port. */
  stop(how?: { now?: boolean }): Promise<void>;
}

export interface StandingOptions {
  /** The store of its crawls; undefined: as the last time, else each is kept in its folder. */
  store: StoreChoice | undefined;
  /** Where crawls of this machine agree on who contacts a host. */
  ledger: string | undefined;
}

export interface Standing {
  coordinator: Coordinator;
  warnings: string[];
}

/** The `coordinator` command without its words: a server, and perhaps a worker in the same process. */
export async function openCoordinatorService(
  options: CoordinatorServiceOptions,
): Promise<CoordinatorService> {
  const { clock, withWorker, folder, baseFolder, standing = false } = options;
  const servesOthers = options.links === undefined;
  const { metrics = createMetrics({ clock }) } = options;
  const webhookPost = openWebhookPost(clock, options.webhookPrivate ?? []);
  const issuerWay = options.logIn && openIssuerWay(clock, options.logIn.issuer);
  const ownerWay = options.siteOwners && openOwnerWay(clock);
  const { logIn: settings, siteOwners, ...rest } = options;
  const server = await openServer({
    ...rest,
    metrics,
    version,
    consoleFolder: options.consoleFolder ?? builtConsole,
    expectsWorker: withWorker,
    webhookPost,
    archiveReader,
    tallies,
    // Its worker is in this process, with the accounts of this machine.
    ...(withWorker ? { startLogin: logInHere, accounts: machineAccounts(() => worker?.logins() ?? []) } : {}),
    ...(siteOwners && ownerWay ? { siteOwners: { settings: siteOwners, way: ownerWay } } : {}),
    ...(settings && issuerWay ? { logIn: { settings, way: issuerWay } } : {}),
  }).catch(async (error: unknown) => {
    await closeWays();
    throw error;
  });

  /** Crawls that were left out for want of the account begin once it is kept. */
  async function logInHere(wish: LoginWish): Promise<StartedLogin> {
    const started = await startLogin(wish, clock);
    return {
      ...started,
      async keep() {
        const answer = await started.keep();
        worker?.tryLeftOut();
        return answer;
      },
    };
  }

  async function closeWays(): Promise<void> {
    await webhookPost.close();
    await issuerWay?.close();
    await ownerWay?.close();
  }

  const intake = servesOthers ? (parts: IntakeParts) => openCrawlIntake(parts, clock) : headless.intake;
  let worker: LocalWorker | undefined;
  let unlog: (() => void) | undefined;
  let hosts: SharedLedger | undefined;

  /** A crawl of this machine alone keeps what it had without a console: no name among others. */
  async function memberHere(): Promise<string | undefined> {
    return servesOthers ? workerId(server.id) : memberOf((await readManifest(folder)) ?? {});
  }

  /** One for all crawls of this process. */
  async function startWorker(coordinator: Coordinator, crawl: LocalWorkerOptions['crawl']): Promise<void> {
    worker ??= await openLocalWorker({
      coordinator,
      crawl,
      baseFolder,
      hooks: {},
      clock,
      member: await memberHere(),
      besideIntake: servesOthers,
      leavesOut: standing,
      metrics,
      tracing: options.tracing,
    });
  }

  /** The coordinator behind the port, on the store of the first crawl or of the folder. */
  async function hosting(store: StoreChoice | undefined, ledger: string | undefined): Promise<Coordinator> {
    // Workers elsewhere outlive this process, so its claims do too.
    if (ledger !== undefined && !store)
      hosts ??= openSharedLedger(ledger, { diesWithProcess: !servesOthers });
    const coordinator = await server.host({
      given: givenStoreFor,
      baseFolder,
      host: crawlHost({
        baseFolder,
        clock,
        store,
        intake,
        listens: servesOthers,
        ownCode: false,
        withoutOutputs: false,
      }),
      ...(store ? { store } : {}),
      ...(hosts && 'ledger' in hosts ? { ledger: hosts.ledger } : {}),
    });
    unlog ??= options.log?.attach(
      coordinator.events,
      (id) => coordinator.crawls().find((one) => one.id === id)?.name,
    );
    return coordinator;
  }

  async function ready(coordinator: Coordinator): Promise<string[]> {
    if (standing) await coordinator.start();
    await server.ready();
    coordinator.store?.warnings.push(...server.warningsAbout(options.join));
    return hosts && 'warning' in hosts ? [hosts.warning] : [];
  }

  return {
    id: server.id,
    url: server.url,
    listen: server.listen,
    status: () => server.status(),
    async open(asked) {
      const open = { ...asked, job: withGivenSecrets(asked.job), clock, hooks: {} };
      const { choice } = await storeIn(open.folder, open.job);
      if (choice && !servesOthers) throw inStore();
      const coordinator = await hosting(choice, asked.ledger);
      const created = await createIn(coordinator, open, { listens: servesOthers, intake });
      const warnings = await ready(coordinator);
      if (withWorker) await startWorker(coordinator, created.crawl);
      const run = createHandle({
        crawl: created.crawl,
        clock,
        drop: () => void (servesOthers || worker?.drop()),
        close: () => Promise.resolve(),
      });
      const opened = openedCrawl(created, coordinator, run);
      return warnings.length > 0 ? { ...opened, warnings } : opened;
    },
    async stand({ store: given, ledger }) {
      const store = given ?? (await readCoordinatorStore(folder));
      if (store && !isGivenStore(store.url)) await keepPassword(folder, store);
      const coordinator = await hosting(store, ledger);
      const warnings = await ready(coordinator);
      if (withWorker) await startWorker(coordinator, standIn(folder));
      return { coordinator, warnings: [...(coordinator.store?.warnings ?? []), ...warnings] };
    },
    async stop(how) {
      await worker?.stop();
      await server.stop(how);
      await closeWays();
      if (hosts && 'ledger' in hosts) hosts.ledger.close();
    },
  };
}

/** Its other processes are on other machines, and would look for this one there. */
function inStore(): WebfarerError {
  return new WebfarerError(
    'usage',
    '--ui shows a crawl that is kept in its folder, and this one is in a store',
    {
      next: 'Start a coordinator on the store, which serves the same console:  webfarer coordinator --store URL',
    },
  );
}

/** What a worker of this process goes by as long as there is no crawl. */
function standIn(folder: string): LocalWorkerOptions['crawl'] {
  const job = resolveJob({ seeds: ['http://none.invalid/'] });
  return {
    id: '' as CrawlId,
    folder,
    job,
    userAgent: '',
    snapshot: () => Promise.reject(new WebfarerError('not-found', 'there is no crawl')),
  };
}
