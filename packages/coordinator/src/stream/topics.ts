import { type Clock, type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { StreamTopic } from '@webfarer/protocol/api';
import type { EventBus } from '../events/event-bus.ts';
import type { RecordFilter } from '../results/results.ts';
import type { CrawlParts } from './crawl-parts.ts';
import type { CrawlHome, CrawlHomes } from './crawl-home.ts';
import { type Documents, followDocuments, shareDocuments, type SharedDocuments } from './documents.ts';
import { followEvents } from './follow-events.ts';
import { followLog } from './follow-log.ts';
import { ofTeam } from './lists.ts';
import type { LogTails } from './log-tail.ts';
import { createSharedLooks } from './shared-looks.ts';
import type { Source, SourceOptions } from './source.ts';

export interface TopicsOptions {
  homes: CrawlHomes;
  tails: LogTails;
  bus: EventBus;
  clock: Clock;
  /** Documents by id, for each kind that can be listed. */
  lists: Readonly<Record<string, () => Promise<Documents>>>;
  crawls: CrawlParts;
  /** Load of coordinators and workers, by name. */
  resources: () => Promise<Documents>;
  /** What goes on in this coordinator, in all crawls or in one. */
  tasks: (crawl: CrawlId | undefined) => Documents;
}

/** Everything that can be subscribed to. */
export interface Topics {
  /** Throws where there is no such crawl or list, at the first frame. */
  open(topic: StreamTopic, options: SourceOptions): Source;
}

/** How old a state may be that a subscription is shown. */
const freshMs = 500;

export function createTopics(options: TopicsOptions): Topics {
  const { homes, tails, bus, clock } = options;
  const looks = createSharedLooks(clock, freshMs);
  const lists = new Map(Object.entries(options.lists));
  /** By what they show; with the number of subscriptions that show it. */
  const shared = new Map<string, { documents: SharedDocuments; users: number }>();

  async function* show(
    key: string,
    read: () => Promise<Documents>,
    how: SourceOptions & { minIntervalMs: number },
  ): Source {
    const mine = shared.get(key) ?? { documents: shareDocuments({ read, clock, freshMs }), users: 0 };
    shared.set(key, mine);
    mine.users++;
    try {
      yield* followDocuments({ ...how, documents: mine.documents, clock });
    } finally {
      if (--mine.users === 0) shared.delete(key);
    }
  }

  /** The crawl stays open for as long as the subscription. */
  async function* of(crawl: string, follow: (home: CrawlHome) => Source): Source {
    const home = looks.share(await homes.open(crawl));
    try {
      yield* follow(home);
    } finally {
      await home.close();
    }
  }

  function listOf(name: string): () => Promise<Documents> {
    const read = lists.get(name);
    if (read) return read;
    throw new WebfarerError('not-found', `there is no list ${JSON.stringify(name)}`, {
      next: `The lists are ${[...lists.keys()].join(', ')}.`,
    });
  }

  return {
    open(topic, how) {
      switch (topic.topic) {
        case 'results': {
          const { kinds, from, maxOutcomes } = topic;
          const filter = topic.filter as RecordFilter;
          return of(topic.crawl, (home) =>
            followLog({ ...how, home, kinds, filter, from, maxOutcomes, tails, clock }),
          );
        }
        case 'status':
          return of(topic.crawl, (home) =>
            show(`status ${home.id}`, async () => fieldsOf(home), { ...how, ...topic }),
          );
        case 'hosts':
          return of(topic.crawl, (home) =>
            show(`hosts ${topic.limit} ${home.id}`, () => hostsOf(home, topic.limit), { ...how, ...topic }),
          );
        case 'list': {
          const read = listOf(topic.list);
          const { team } = how;
          return show(`list ${topic.list} ${team ?? ''}`, async () => ofTeam(await read(), team), {
            ...how,
            ...topic,
          });
        }
        case 'crawls': {
          const { states, search, offset, limit } = topic;
          const asked = { states, search, offset, limit };
          const key = `crawls ${JSON.stringify([how.team, asked])}`;
          return show(key, options.crawls.part(asked, how.team), { ...how, ...topic });
        }
        case 'resources':
          return show('resources', options.resources, { ...how, ...topic });
        case 'tasks':
          if (topic.crawl === undefined)
            return show('tasks', async () => options.tasks(undefined), { ...how, ...topic });
          return of(topic.crawl, (home) =>
            show(`tasks ${home.id}`, async () => options.tasks(home.id), { ...how, ...topic }),
          );
        case 'events':
          if (topic.crawl === undefined) return followEvents({ ...how, bus, crawl: undefined, clock });
          return of(topic.crawl, (home) => followEvents({ ...how, bus, crawl: home.id, clock }));
      }
    },
  };
}

async function fieldsOf(home: CrawlHome): Promise<Documents> {
  await home.check();
  return new Map(Object.entries(await home.status()));
}

async function hostsOf(home: CrawlHome, limit: number): Promise<Documents> {
  await home.check();
  const hosts = await home.hosts(limit);
  return new Map<string, unknown>(hosts.map(({ host, ...about }) => [host, about]));
}
