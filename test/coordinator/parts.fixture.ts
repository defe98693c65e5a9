import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Coordinator, type CoordinatorOptions, openCoordinator, readToken } from '@webfarer/coordinator';
import { openServer, type Server } from '@webfarer/coordinator/server';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { type OpenWorker, openWorker, type OpenWorkerOptions } from '@webfarer/worker';
import { afterEach, beforeEach } from 'vitest';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';

/** Coordinators and workers in this process and small sites for them, all ended after each test. */
export interface CoordinatorStage {
  /** New and empty for each test. */
  readonly folder: string;
  coordinatorIn(name: string, options?: Partial<CoordinatorOptions>): Promise<Coordinator>;
  workerOf(coordinator: Coordinator, id: string): Promise<OpenWorker>;
  /** A coordinator that listens. */
  serverIn(name: string, options?: CoordinatorOptionsGiven): Promise<Listener>;
  /** On another machine, as far as its coordinator can tell. */
  farWorker(server: Listener, id: string, options?: Partial<OpenWorkerOptions>): Promise<OpenWorker>;
  /** A site whose first page links to so many others, which have the same links unless they have other content. */
  siteOf(pages: number, content?: string): Promise<SmallSite>;
  /** A crawl of these sites. */
  job(name: string, sites: readonly SmallSite[], more?: object): { input: object; baseFolder: string };
}

type CoordinatorOptionsGiven = Parameters<Server['host']>[0];

export interface Listener {
  readonly url: string;
  readonly folder: string;
  readonly coordinator: Coordinator;
  stop(): Promise<void>;
}

export const gapMs = 20;

export function coordinatorStage(): CoordinatorStage {
  let folder = '';
  const open: { stop(): Promise<unknown> }[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webfarer-coordinator-'));
  });
  afterEach(async () => {
    for (const part of open.splice(0).toReversed()) await part.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    get folder() {
      return folder;
    },
    async coordinatorIn(name, options = {}) {
      const coordinator = await openCoordinator({ folder: join(folder, name), version: '0', ...options });
      open.push(coordinator);
      return coordinator;
    },
    async workerOf({ connect }, id) {
      const worker = openWorker({
        link: { kind: 'in-process', connect },
        id: id as WorkerId,
        version: '0',
        folder: join(folder, id),
        baseFolder: folder,
        connections: 4,
        clock: systemClock(),
        random: Math.random,
      });
      open.push(worker);
      await worker.start();
      return worker;
    },
    async serverIn(name, options = {}) {
      const at = join(folder, name);
      const server = await openServer({
        folder: at,
        version: '0',
        listen: { host: '127.0.0.1', port: 0 },
        advertise: undefined,
        expectsWorker: false,
      });
      open.push(server);
      const coordinator = await server.host(options);
      await server.ready();
      return { url: server.url, folder: at, coordinator, stop: () => server.stop() };
    },
    async farWorker(server, id, options = {}) {
      const token = await readToken(join(server.folder, 'worker.token'));
      const worker = openWorker({
        link: {
          kind: 'network',
          urls: [server.url],
          token: () => token,
          key: `key-of-${id}`,
        },
        id: id as WorkerId,
        version: '0',
        folder: join(folder, id),
        baseFolder: folder,
        connections: 4,
        ...options,
      });
      open.push(worker);
      await worker.start();
      return worker;
    },
    async siteOf(pages, content) {
      const paths = Array.from({ length: pages }, (_, i) => `/${i}`);
      const links = paths.map((path) => `<a href="${path}">${path}</a>`).join('');
      const site = await startSmallSite({
        '/': links,
        ...Object.fromEntries(paths.map((path) => [path, content ?? links])),
      });
      open.unshift(site);
      return site;
    },
    job: (name, sites, more = {}) => ({
      input: {
        name,
        seeds: sites.map(({ origin }) => `${origin}/`),
        politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
        fetch: { allowPrivate: sites.map(({ origin }) => origin) },
        limits: { minFree: '1MB' },
        save: ['none'],
        ...more,
      },
      baseFolder: folder,
    }),
  };
}
