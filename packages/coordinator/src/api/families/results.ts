import { WebfarerError } from '@webfarer/protocol';
import { type resultRoutes, streamTopic, type streamRoutes } from '@webfarer/protocol/api';
import { parseDuration } from '@webfarer/protocol/job';
import type { Consumer } from '../../results/consumers.ts';
import type { RecordFilter, ResultKind } from '../../results/results.ts';
import type { CrawlHome } from '../../stream/crawl-home.ts';
import { checkToken, type LogLine, readLog } from '../../stream/read-log.ts';
import { serverSent } from '../../stream/server-sent.ts';
import type { Source } from '../../stream/source.ts';
import type { StreamParts } from '../../stream/stream-parts.ts';
import type { ApiParts } from '../call/api-parts.ts';
import { archiveHandlers } from './archive.ts';
import type { Call, Handler, HandlersOf } from '../call/call.ts';
import { InvalidRequest } from '../call/read-request.ts';
import { confinedTo, mayFollow } from '../call/topic-teams.ts';

/** A subscription without news says so this often, so that nothing between takes the connection for dead. */
const heartbeatMs = 15_000;

type Reading = Call<(typeof resultRoutes)['readResults' | 'readItems' | 'readLinks']>;

/** Results, items and links as logs; who has read how far; the files of a crawl. */
export function resultHandlers(parts: ApiParts): HandlersOf<typeof resultRoutes & typeof streamRoutes> {
  const { stream } = parts;
  const read = (kind: ResultKind) => (call: Reading) => lines(stream, kind, call);
  return {
    // Each line is of the kind that was asked for.
    readResults: read('record') as Handler<(typeof resultRoutes)['readResults']>,
    readItems: read('item') as Handler<(typeof resultRoutes)['readItems']>,
    readLinks: read('links') as Handler<(typeof resultRoutes)['readLinks']>,
    async listConsumers({ params }) {
      return await using(stream, params.crawl, async (home) => ({
        items: (await stream.consumers.list(home)).map(shown),
      }));
    },
    async acknowledgeResults({ params, body }) {
      return await using(stream, params.crawl, async (home) => {
        await checkToken(home, body.token);
        return shown(await stream.consumers.acknowledge(home, params.consumer, body.token));
      });
    },
    async deleteConsumer({ params }) {
      const { crawl, consumer } = params;
      const gone = await using(stream, crawl, (home) => stream.consumers.remove(home, consumer));
      if (!gone) throw new WebfarerError('not-found', `the crawl has no consumer ${consumer}`);
      return undefined;
    },
    ...archiveHandlers(parts),
    async followEvents({ query, header, signal, principal }) {
      const { after, ...given } = query;
      const on = topicIn(given);
      const token = header('last-event-id') ?? after;
      await mayFollow(principal, on, parts.crawls);
      const team = confinedTo(principal);
      const gate = stream.gates.of(principal.id);
      const source = stream.topics.open(on, { after: token, signal, heartbeatMs, team, gate });
      return serverSent(await begun(source));
    },
  };
}

async function lines(stream: StreamParts, kind: ResultKind, call: Reading): Promise<AsyncIterable<LogLine>> {
  const { query, params, signal, principal } = call;
  const { after, consumer, wait, limit = Number.POSITIVE_INFINITY, ...filter } = query;
  if (after !== undefined && consumer !== undefined)
    throw new InvalidRequest([{ in: 'query', at: 'after', message: 'give after or consumer, not both' }]);
  const home = await stream.homes.open(params.crawl);
  try {
    const kept = consumer === undefined ? undefined : await stream.consumers.get(home, consumer);
    const token = after ?? kept?.token;
    if (token !== undefined) await checkToken(home, token);
    const { tails, gates, clock } = stream;
    return closing(
      home,
      readLog({
        home,
        kinds: [kind],
        filter: filterIn(filter),
        after: token,
        waitMs: parseDuration(wait) ?? 0,
        limit,
        tails,
        gate: gates.of(principal.id),
        clock,
        signal,
      }),
    );
  } catch (error) {
    await home.close();
    throw error;
  }
}

/** Read up to its first frame: what cannot be followed is refused before anything is answered. */
async function begun(source: Source): Promise<Source> {
  const first = await source.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* source;
    } finally {
      await source.return();
    }
  })();
}

async function* closing(home: CrawlHome, log: AsyncGenerator<LogLine>): AsyncGenerator<LogLine> {
  try {
    yield* log;
  } finally {
    await home.close();
  }
}

async function using<T>(
  { homes }: StreamParts,
  crawl: string,
  use: (home: CrawlHome) => Promise<T>,
): Promise<T> {
  const home = await homes.open(crawl);
  try {
    return await use(home);
  } finally {
    await home.close();
  }
}

function filterIn(given: object): RecordFilter {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as RecordFilter;
}

function shown({ name, token, acknowledgedAtMs }: Consumer) {
  return { name, token, acknowledgedAtMs };
}

/** A subscription as a query writes it: the conditions stand beside the rest. */
function topicIn(query: Record<string, unknown>) {
  const { verdict, reason, status, host, kinds, states, ...rest } = filterIn(query) as Record<
    string,
    unknown
  >;
  const filter = filterIn({ verdict, reason, status, host });
  const asked = {
    ...rest,
    ...(Array.isArray(kinds) && kinds.length > 0 ? { kinds: kinds as unknown[] } : {}),
    ...(Array.isArray(states) && states.length > 0 ? { states: states as unknown[] } : {}),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  };
  const { data, error } = streamTopic.safeParse(asked);
  if (data) return data;
  throw new InvalidRequest(
    error.issues.map(({ path, message }) => ({ in: 'query', at: path.map(String).join('.'), message })),
  );
}
