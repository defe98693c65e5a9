import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Clock, type CrawlId, type HostKey, type SiteKey, WebfarerError } from '@webfarer/protocol';
import { groupCount, siteFinder, siteOf, suffixListVersion, suffixRules } from '@webfarer/protocol/url';
import type { FrontierCrawl } from '../../frontier.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { storeTag } from '../../../redis/keys.ts';
import { type Reply, ReplyError } from '../../../redis/wire/resp.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore, Script } from '../../../redis/store.ts';
import { type Change, crawlSteps, type CrawlSteps, type Read } from './crawl-steps.ts';
import { type CrawlNeeds, keptCrawls } from './kept-crawls.ts';
import { followCrawls } from './refreshing.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Raised with every change of keys or scripts that an older program would misread. */
export const storeVersion = 3;

/** What the whole store knows of its crawls. Copies in memory; the store decides. */
export interface CrawlRegistry extends CrawlSteps {
  groups: number;
  /** By the suffix list that the store was made with: it decides for ever in which group a host is. */
  siteOf(host: HostKey): SiteKey;
  /** Those that are known here: of the finished ones, those that were used lately or are needed here. */
  all(): StoredCrawl[];
  /** Those that are not finished: upkeep is for these alone. */
  active(): StoredCrawl[];
  /** The crawl, looked up in the store if it is not known here yet. */
  get(id: CrawlId): Promise<StoredCrawl>;
  /** The same; undefined where the store does not have it. */
  look(id: CrawlId): Promise<StoredCrawl | undefined>;
  byNumber(c: string): StoredCrawl | undefined;
  /** As the store has it now; undefined where it does not have it. */
  lookUp(c: string): Promise<StoredCrawl | undefined>;
  /** As far as it is known here. */
  find(id: CrawlId): StoredCrawl | undefined;
  /** `isCounted`: the store knows what all groups use of its ceilings. */
  open(settings: FrontierCrawl): Promise<{ crawl: StoredCrawl; isCounted: boolean }>;
  /** All its seeds were offered. */
  setSeeded(crawl: StoredCrawl): Promise<void>;
  refresh(): Promise<void>;
  /** Lets others know that somebody asks for URLs of these. */
  sayAlive(served: string[]): Promise<void>;
}

/** Nobody has asked for so long: the crawl is left alone and need not be waited for. */
const aliveMs = 5_000;

type Registered = [c: string, nonce: string, Change, forgotten: string, counted: number];

interface Identity {
  groups: number;
  siteOf(host: HostKey): SiteKey;
  secret: Buffer;
}

export interface RegistryOptions extends CrawlNeeds {
  groups?: number | undefined;
  clock: Clock;
  /** The store's time; undefined: by its own clock. */
  nowMs: (() => number) | undefined;
  /** Others have changed something of this crawl. */
  changed(id: CrawlId): void;
}

export async function crawlRegistry(
  store: RedisStore,
  { groups = groupCount, clock, nowMs, changed, isNeeded, dropped }: RegistryOptions,
): Promise<CrawlRegistry> {
  const identity = await identify(store, groups);
  const kept = keptCrawls(store, { ...identity, clock, isNeeded, dropped });

  const step = async (script: Script, ...args: (string | number)[]): Promise<Reply> => {
    const [reply = null] = await store.run([{ key: storeTag, script, args }]);
    return refuseError(reply);
  };

  /** Another crawl may have its id by now: the next call looks it up. */
  function gone({ c, id }: StoredCrawl): WebfarerError {
    kept.drop(c);
    return notThere(id);
  }

  const readOnly = { durable: false };

  function drop(c: string): undefined {
    kept.drop(c);
  }

  /** One that may be finished, or gone. */
  async function lookUp(c: string): Promise<StoredCrawl | undefined> {
    const [reply = null] = await store.run(
      [{ key: storeTag, script: scripts.crawlRead, args: [c] }],
      readOnly,
    );
    const [change, nonce, forgotten] = replyArray(reply) as unknown as Read;
    if (change[0] === null) return drop(c);
    const { id } = JSON.parse(change[0]) as FrontierCrawl;
    const [listed] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}i`, id] }], readOnly);
    // What is being erased is out of the list first.
    if (listed !== c) return drop(c);
    return Object.assign(kept.keep(c, { change, nonce, forgotten }), { alive: false });
  }

  async function look(id: CrawlId): Promise<StoredCrawl | undefined> {
    const known = kept.find(id);
    if (known && known.state !== 'finished') return known;
    // One that is finished may have been erased, and begun again under its name.
    const args = ['HGET', `${storeTag}i`, id];
    const [c = null] = await store.run([{ key: storeTag, args }], readOnly);
    if (known && known.c !== c) kept.drop(known.c);
    return (typeof c === 'string' ? await lookUp(c) : undefined) ?? kept.find(id);
  }

  const refresh = followCrawls({ store, clock, nowMs, kept, lookUp, changed });
  await refresh();
  return {
    groups: identity.groups,
    siteOf: identity.siteOf,
    all: kept.all,
    active: kept.active,
    byNumber: kept.byNumber,
    lookUp,
    find: kept.find,
    async get(id) {
      const crawl = await look(id);
      if (!crawl) throw notThere(id);
      return crawl;
    },
    look,
    async open({ edit = '', ...settings }) {
      const { id, nonce: wanted = '' } = settings;
      const args = [id, JSON.stringify(settings), randomUUID(), wanted, edit];
      const reply = replyArray(await step(scripts.register, ...args));
      const [c, nonce, change, forgotten, counted] = reply as unknown as Registered;
      if (c === '') throw notThere(id);
      return { crawl: kept.keep(c, { change, nonce, forgotten }), isCounted: counted === 1 };
    },
    ...crawlSteps({ step, store, take: kept.take, gone, lookUp, nowMs }),
    async setSeeded({ c }) {
      await store.run([{ key: storeTag, args: ['HDEL', storeTag + c, 'unseeded'] }]);
    },
    refresh,
    async sayAlive(served) {
      const args = [aliveMs, nowMs?.() ?? '', ...served];
      await store.run([{ key: storeTag, script: scripts.alive, args }], { durable: false });
    },
  };
}

function refuseError(reply: Reply): Reply {
  if (reply instanceof ReplyError) throw new WebfarerError('storage', `the store answered: ${reply.text}`);
  return reply;
}

/** What the store said of this crawl holds as long as this is the same. */
export function epochOf(store: Pick<RedisStore, 'epoch'>, { nonce }: StoredCrawl): string {
  return `${store.epoch()}.${nonce}`;
}

function notThere(id: CrawlId): WebfarerError {
  return new WebfarerError('not-found', `no crawl ${id} in this store`, {
    next: 'List them:  webfarer store crawls --store URL',
  });
}

/** The store's version, number of groups, suffix list and secret: made by whoever comes first, then fixed. */
async function identify(store: RedisStore, groups: number): Promise<Identity> {
  const key = `${storeTag}v`;
  const mine = {
    version: String(storeVersion),
    groups: String(groups),
    suffixes: suffixListVersion,
    secret: randomBytes(32).toString('hex'),
  };
  const names = Object.keys(mine) as (keyof typeof mine)[];
  const replies = await store.run([
    ...names.map((name) => ({ key: storeTag, args: ['HSETNX', key, name, mine[name]] })),
    { key: storeTag, args: ['HMGET', key, ...names] },
  ]);
  const [version, count, suffixes, secret] = replyArray(replies.at(-1) ?? null) as string[];
  if (version !== mine.version)
    throw new WebfarerError(
      'folder-foreign',
      `the store was created by another version (store version ${version})`,
      {
        next: `This release needs store version ${storeVersion}. Use the release that created the store, or another store.`,
      },
    );
  return {
    groups: Number(count),
    siteOf: await siteOfStore(store, suffixes ?? ''),
    secret: Buffer.from(secret ?? '', 'hex'),
  };
}

/** A store keeps the list that it was made with, so that programs with another list work with it. */
async function siteOfStore(store: RedisStore, version: string): Promise<(host: HostKey) => SiteKey> {
  const key = `${storeTag}v`;
  const [kept] = await store.run([{ key: storeTag, args: ['HGET', key, 'suffixRules'] }]);
  if (version === suffixListVersion) {
    if (typeof kept === 'string') return siteOf;
    const rules = gzipSync(await suffixRules()).toString('base64');
    await store.run([{ key: storeTag, args: ['HSETNX', key, 'suffixRules', rules] }]);
    return siteOf;
  }
  if (typeof kept === 'string') return siteFinder(gunzipSync(Buffer.from(kept, 'base64')).toString());
  throw new WebfarerError(
    'folder-foreign',
    `the store was created with another public suffix list (${version}) and has no copy of it`,
    {
      next: 'Open it once with the release that created it, which adds the list. Then this release can use it.',
    },
  );
}
