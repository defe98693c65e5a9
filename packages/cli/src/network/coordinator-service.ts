import {
  type Coordinator,
  type ListenAddress,
  type NetworkStatus,
  openServer,
  openSharedLedger,
  type SharedLedger,
  type TlsFiles,
  workerId,
} from '@webfarer/coordinator';
import type { Clock } from '@webfarer/protocol';
import { givenStoreFor, withGivenSecrets } from '../secrets/given-secrets.ts';
import type { OpenedCrawl, OpenOptions } from '../crawl/local-port.ts';
import { createHandle } from '../local/crawl-handle.ts';
import { createIn, openedCrawl, storeIn } from '../local/local-crawl.ts';
import { type LocalWorker, openLocalWorker } from '../local/local-worker.ts';
import { version } from '../machine/version.ts';
import { openCrawlIntake } from './crawl-intake.ts';

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
  /** Encrypt the port. */
  tls?: TlsFiles;
  /** Another coordinator that should be found in the same store. */
  join?: string | undefined;
}

export interface CoordinatorService {
  readonly id: string;
  /** Where others reach it. */
  readonly url: string;
  readonly listen: ListenAddress;
  /** Opens a crawl as on one machine; the workers that are connected fetch for it. */
  open(options: OpenOptions): Promise<OpenedCrawl>;
  status(): Promise<NetworkStatus>;
  /** Ends the crawls that still run, says goodbye to the workers and closes the port. */
  stop(): Promise<void>;
}

/** The `coordinator` command without its words: a server, and perhaps a worker in the same process. */
export async function openCoordinatorService(
  options: CoordinatorServiceOptions,
): Promise<CoordinatorService> {
  const { clock, withWorker } = options;
  const server = await openServer({ ...options, version, expectsWorker: withWorker });
  let worker: LocalWorker | undefined;
  let hosts: SharedLedger | undefined;

  /** One for all crawls of this process. */
  async function startWorker(coordinator: Coordinator, crawl: Awaited<ReturnType<typeof createIn>>['crawl']) {
    worker ??= await openLocalWorker({
      coordinator,
      crawl,
      baseFolder: options.baseFolder,
      hooks: {},
      clock,
      member: workerId(server.id),
      besideIntake: true,
    });
  }

  return {
    id: server.id,
    url: server.url,
    listen: server.listen,
    status: () => server.status(),
    async open(asked) {
      const open = { ...asked, job: withGivenSecrets(asked.job), clock, hooks: {} };
      const { choice } = await storeIn(open.folder, open.job);
      // Workers elsewhere outlive this process, so its claims do too.
      if (asked.ledger !== undefined && !choice)
        hosts ??= openSharedLedger(asked.ledger, { diesWithProcess: false });
      const coordinator = await server.host({
        given: givenStoreFor,
        ...(choice ? { store: choice } : {}),
        ...(hosts && 'ledger' in hosts ? { ledger: hosts.ledger } : {}),
      });
      const created = await createIn(coordinator, open, {
        listens: true,
        intake: (parts) => openCrawlIntake(parts, clock),
      });
      await server.ready();
      coordinator.store?.warnings.push(...server.warningsAbout(options.join));
      if (withWorker) await startWorker(coordinator, created.crawl);
      const run = createHandle({
        crawl: created.crawl,
        clock,
        drop: () => undefined,
        close: () => Promise.resolve(),
      });
      const opened = openedCrawl(created, coordinator, run);
      return hosts && 'warning' in hosts ? { ...opened, warnings: [hosts.warning] } : opened;
    },
    async stop() {
      await worker?.stop();
      await server.stop();
      if (hosts && 'ledger' in hosts) hosts.ledger.close();
    },
  };
}
