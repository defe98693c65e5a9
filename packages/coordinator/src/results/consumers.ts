import { createHash } from 'node:crypto';
import { type DatedClock, type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { Registry, RegistryDoc } from '../registry/registry.ts';

/** A program that reads the results of a crawl, and how far it has come: kept for it by the coordinator. */
export interface Consumer {
  crawl: CrawlId;
  name: string;
  /** Behind the last result that it has acknowledged. */
  token: string;
  acknowledgedAtMs: number;
}

/** The crawl that is read. Its nonce tells it from another one of the same id. */
export interface ConsumedCrawl {
  readonly id: CrawlId;
  readonly nonce: string;
  /** Rejects once the crawl was deleted. */
  check(): Promise<void>;
}

type Named = Pick<ConsumedCrawl, 'nonce'>;

/** The same at every coordinator of a store. */
export interface Consumers {
  /** Undefined: it has acknowledged nothing yet. */
  get(crawl: Named, name: string): Promise<Consumer | undefined>;
  /** From now on it begins behind this token. The first time makes the consumer. */
  acknowledge(crawl: ConsumedCrawl, name: string, token: string): Promise<Consumer>;
  list(crawl: Named): Promise<Consumer[]>;
  /** False: there is none of this name. */
  remove(crawl: Named, name: string): Promise<boolean>;
  /** Removes all of a deleted crawl. */
  forget(crawl: Named): Promise<void>;
}

const kind = 'consumer';
/** Of one crawl. */
const mostConsumers = 100;
/** Others may write the same document: the last one stands. */
const tries = 10;

export function createConsumers(
  registry: Pick<Registry, 'get' | 'put' | 'list' | 'remove'>,
  clock: DatedClock,
): Consumers {
  async function list(crawl: Named): Promise<Consumer[]> {
    const prefix = idOf(crawl, '');
    const found: Consumer[] = [];
    for (let after: string | undefined = prefix; after !== undefined; ) {
      const page: { docs: RegistryDoc[]; next: string | undefined } = await registry.list(kind, {
        after,
        limit: mostConsumers,
      });
      const mine = page.docs.filter(({ id }) => id.startsWith(prefix));
      found.push(...mine.map(({ value }) => value as Consumer));
      after = mine.length < page.docs.length ? undefined : page.next;
    }
    return found;
  }

  async function write(crawl: ConsumedCrawl, name: string, token: string): Promise<Consumer> {
    const id = idOf(crawl, name);
    const next = { crawl: crawl.id, name, token, acknowledgedAtMs: Math.round(clock.wall()) };
    for (let n = 0; n < tries; n++) {
      const now = await registry.get(kind, id);
      if (!now && (await list(crawl)).length >= mostConsumers)
        throw new WebfarerError('usage', `the crawl has ${mostConsumers} consumers already`, {
          next: 'Delete those that are no longer needed.',
        });
      const answer = await registry.put(kind, id, now?.version ?? 0, next);
      if (answer.kind === 'changed') return next;
    }
    throw new WebfarerError(
      'storage',
      `the position of ${name} is being changed by too many programs at once`,
      { next: 'Give every program a consumer of its own.' },
    );
  }

  async function remove(crawl: Named, name: string): Promise<boolean> {
    const id = idOf(crawl, name);
    for (let n = 0; n < tries; n++) {
      const now = await registry.get(kind, id);
      if (!now) return false;
      if ((await registry.remove(kind, id, now.version)).kind === 'changed') return true;
    }
    return false;
  }

  return {
    list,
    remove,
    get: async (crawl, name) => (await registry.get(kind, idOf(crawl, name)))?.value as Consumer | undefined,
    async acknowledge(crawl, name, token) {
      const written = await write(crawl, name, token);
      // A deletion marks the crawl first and forgets its consumers then: it finds this one, or is found here.
      await crawl.check().catch(async (error: unknown) => {
        await remove(crawl, name);
        throw error;
      });
      return written;
    },
    async forget(crawl) {
      for (const { name } of await list(crawl)) await remove(crawl, name);
    },
  };
}

/** Nonces may be of any length; the consumers of a crawl stand together. */
function idOf({ nonce }: Named, name: string): string {
  return `${createHash('sha256').update(nonce).digest('hex').slice(0, 24)}:${name}`;
}
