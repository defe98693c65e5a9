import type { IncomingMessage } from 'node:http';
import type { CrawlId, DatedClock } from '@webfarer/protocol';
import type { StreamTopic } from '@webfarer/protocol/api';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Crawl } from '../crawl/crawl.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import type { RegistryKind } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import type { Consumers } from '../results/consumers.ts';
import { createCrawlHomes, type CrawlPlace } from './crawl-homes.ts';
import { createCrawlParts } from './crawl-parts.ts';
import type { Documents } from './documents.ts';
import type { StreamLimits } from './limits.ts';
import { catalogList, registryList } from './lists.ts';
import { createLogTails } from './log-tail.ts';
import { createPageGates } from './page-gate.ts';
import type { StreamUser } from './session.ts';
import type { StreamParts } from './stream-parts.ts';
import { createStreamServer, type StreamServer } from './stream-server.ts';
import { createTopics } from './topics.ts';

export interface OpenStreamOptions<User extends StreamUser> {
  /** The coordinator. */
  id: string;
  clock: DatedClock;
  events: EventBus;
  frontier: RedisFrontier | undefined;
  catalog: () => Catalog;
  consumers: Consumers;
  registryWatch: RegistryWatch;
  /** By id or name, also those that no catalog lists. */
  find: (named: string) => Promise<CatalogEntry | undefined>;
  /** The error where there is no crawl of a name. */
  missing: (named: string) => Error;
  /** The crawl, where this coordinator works on it. */
  running: (id: CrawlId) => Crawl | undefined;
  folderOf: (name: string) => string;
  resources: () => Promise<Documents>;
  /** Workers and coordinators, by the names of their lists. */
  fleet: Readonly<Record<string, () => Promise<Documents>>>;
  /** What goes on in this coordinator, in all crawls or in one. */
  tasks: (crawl: CrawlId | undefined) => Documents;
  authenticate: (credentials: string) => User | undefined;
  /** What a request brings that `authenticate` takes. */
  credentials: (request: IncomingMessage) => string | undefined;
  authorize: (user: User, topic: StreamTopic) => Promise<void>;
  confinedTo: (user: User) => string | undefined;
  failed: (error: unknown) => void;
  limits?: Partial<StreamLimits>;
}

/** Documents that whoever may look may follow: none of them holds a secret. */
const lists: Readonly<Record<string, RegistryKind>> = {
  consumers: 'consumer',
  'host-rules': 'host-rule',
  'opt-outs': 'opt-out',
  policies: 'policy',
  schedules: 'schedule',
};

/** Everything that reads crawls for others: logs, consumers, the stream. */
export function openStream<User extends StreamUser>(
  options: OpenStreamOptions<User>,
): StreamParts & { server: StreamServer } {
  const { id, clock, events, frontier, catalog, consumers, failed, running, missing } = options;

  async function find(named: string): Promise<CrawlPlace | undefined> {
    const entry = await options.find(named);
    if (!entry || entry.wanted === 'deleted') return undefined;
    const folder = running(entry.id)?.folder ?? options.folderOf(entry.name);
    return { id: entry.id, name: entry.name, nonce: entry.nonce, folder };
  }

  const homes = createCrawlHomes({ clock, events, frontier, find, running, missing });
  const tails = createLogTails(clock);
  const gates = createPageGates();
  const allCrawls = catalogList(catalog);
  const topics = createTopics({
    homes,
    tails,
    bus: events,
    clock,
    lists: {
      crawls: allCrawls,
      ...options.fleet,
      ...Object.fromEntries(
        Object.entries(lists).map(([name, kind]) => [name, registryList(options.registryWatch, kind)]),
      ),
    },
    crawls: createCrawlParts(allCrawls),
    resources: options.resources,
    tasks: options.tasks,
  });
  const { authenticate, credentials, authorize, confinedTo, limits = {} } = options;
  const server = createStreamServer({
    id,
    topics,
    gates,
    clock,
    authenticate,
    credentials,
    authorize,
    confinedTo,
    failed,
    limits,
  });
  return { homes, tails, gates, topics, consumers, clock, server };
}
