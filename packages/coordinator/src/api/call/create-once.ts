import { createHash, randomUUID } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { reservedTag } from '@webfarer/protocol/api';
import { crawlStates } from '@webfarer/protocol/crawl';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Principal } from './call.ts';
import type { CrawlDirectory, CrawlOrder } from './crawl-directory.ts';

export interface CreateRequest extends CrawlOrder {
  /** The job as it was sent: a repeated request is the same one, even where its policy has another version by then. */
  asked: unknown;
  idempotencyKey: string | undefined;
  principal: Principal;
}

/**
 * Creates crawls so that a repeated request answers the crawl of the first. What made a crawl is kept with its entry in the
 * catalog, as two tags that are not shown: they come and go with the crawl, have an index, and are the same at every
 * coordinator.
 */
export function createOnce(
  crawls: Pick<CrawlDirectory, 'list' | 'create'>,
): (request: CreateRequest) => Promise<CatalogEntry> {
  /** Two requests at the same moment: the second waits for what the first one creates. */
  const underWay = new Map<string, Promise<CatalogEntry>>();

  async function existing({ origin, request }: Origin): Promise<CatalogEntry | undefined> {
    const query = { after: '', limit: 1, states: crawlStates, tags: [origin] };
    const [entry] = (await crawls.list(query)).entries;
    if (entry && !entry.tags.includes(request)) throw keyReused(entry);
    return entry;
  }

  async function create({ input, tags }: CreateRequest, from: Origin): Promise<CatalogEntry> {
    const found = await existing(from);
    if (found) return found;
    try {
      const entry = await crawls.create({ input, tags: [...tags, from.origin, from.request] });
      if (entry.tags.includes(from.origin)) return entry;
      throw nameTaken(entry);
    } catch (error) {
      // Another coordinator may have been given the same request, and have been faster.
      const there = await existing(from);
      if (there) return there;
      throw error;
    }
  }

  return async (request) => {
    const from = originOf(request);
    const { origin } = from;
    const before = underWay.get(origin);
    await before?.catch(() => undefined);
    const creating = create(request, from);
    underWay.set(origin, creating);
    try {
      return await creating;
    } finally {
      if (underWay.get(origin) === creating) underWay.delete(origin);
    }
  };
}

/** Tags as their owner gave them. */
export function shownTags(tags: readonly string[]): string[] {
  return tags.filter((tag) => !tag.startsWith(reservedTag));
}

/** Other tags for a crawl that keeps where it came from. */
export function replacedTags(before: readonly string[], tags: readonly string[]): string[] {
  return [...tags, ...before.filter((tag) => tag.startsWith(reservedTag))];
}

interface Origin {
  /** Names the request that created the crawl: by its key and team, or by chance. */
  origin: string;
  /** What was asked for. */
  request: string;
}

function originOf({ asked, tags, idempotencyKey, principal }: CreateRequest): Origin {
  const origin = idempotencyKey === undefined ? randomUUID() : digest([principal.team, idempotencyKey]);
  return {
    origin: `${reservedTag}origin:${origin}`,
    request: `${reservedTag}request:${digest([asked, tags])}`,
  };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);
}

function keyReused({ name }: CatalogEntry): WebfarerError {
  return new WebfarerError(
    'conflict',
    `the idempotency key has created the crawl ${name} from another request`,
    {
      next: 'Use a new key for each crawl.',
    },
  );
}

function nameTaken({ name }: CatalogEntry): WebfarerError {
  return new WebfarerError('conflict', `there is a crawl named ${name} already`, {
    next: 'Give the new one another name: name in its job.',
  });
}
