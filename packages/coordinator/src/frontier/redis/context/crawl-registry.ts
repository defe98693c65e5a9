import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type CrawlId, type CrawlState, type HostKey, type SiteKey, WebfarerError } from '@webfarer/protocol';
import {
  type Fingerprinter,
  fingerprinter,
  groupCount,
  siteFinder,
  siteOf,
  suffixListVersion,
  suffixRules,
} from '@webfarer/protocol/url';
import { type Barred, barredBy } from '../../barred.ts';
import type { FrontierCrawl, Tombstone } from '../../frontier.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { storeTag } from '../../../redis/keys.ts';
import { type Reply, ReplyError } from '../../../redis/wire/resp.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore, Script } from '../../../redis/store.ts';

/** Raised with every change of keys or scripts that an older program would misread. */
export const storeVersion = 3;

export interface StoredCrawl {
  /** Its number in key names. */
  c: string;
  id: CrawlId;
  /** Made when it was registered: tells it from one of the same name or number before it. */
  nonce: string;
  settings: FrontierCrawl;
  state: CrawlState;
  /** Somebody asks for its URLs at the moment. */
  alive: boolean;
  /** A group in which something was left when this process last looked. */
  openGroup: number | undefined;
  /** Hosts that were forgotten, as the store last said; undefined: none. */
  barred: Barred | undefined;
  /** 64 bits of a URL under a key of this crawl alone, as a decimal string that is never altered. */
  print(url: string): string;
}

/** What the whole store knows of its crawls. Copies in memory; the store decides. */
export interface CrawlRegistry {
  groups: number;
  /** By the suffix list that the store was made with: it decides for ever in which group a host is. */
  siteOf(host: HostKey): SiteKey;
  /** Those that are known here. */
  all(): StoredCrawl[];
  /** Those that are not finished: upkeep is for these alone. */
  active(): StoredCrawl[];
  /** The crawl, looked up in the store if it is not known here yet. */
  get(id: CrawlId): Promise<StoredCrawl>;
  /** The same; undefined where the store does not have it. */
  look(id: CrawlId): Promise<StoredCrawl | undefined>;
  byNumber(c: string): StoredCrawl | undefined;
  /** As far as it is known here. */
  find(id: CrawlId): StoredCrawl | undefined;
  open(settings: FrontierCrawl): Promise<StoredCrawl>;
  /** Writes which hosts it has forgotten; others of the store see it when they next look. */
  bar(crawl: StoredCrawl, barred: Barred): Promise<void>;
  setState(crawl: StoredCrawl, state: CrawlState): Promise<void>;
  /** As the store has it now, whether all its seeds were offered, and how often it was opened again. */
  read(crawl: StoredCrawl): Promise<{ state: CrawlState; seeded: boolean; opened: string }>;
  /** All its seeds were offered. */
  setSeeded(crawl: StoredCrawl): Promise<void>;
  /** Ends it, unless seeds are missing or it was opened again since `opened` was read. */
  finish(crawl: StoredCrawl, opened: string): Promise<boolean>;
  /** Some group has work again: it runs if it was finished. Answers the state before. */
  reopen(crawl: StoredCrawl): Promise<CrawlState>;
  refresh(): Promise<void>;
  /** Lets others know that somebody asks for URLs of these. */
  sayAlive(served: string[]): Promise<void>;
}

/** Nobody has asked for so long: the crawl is left alone and need not be waited for. */
const aliveSeconds = 5;

type KeptCrawl = Pick<StoredCrawl, 'settings' | 'state' | 'nonce'> & { forgotten: string | null };

type Active = [
  c: string,
  settings: string,
  CrawlState,
  nonce: string,
  alive: number,
  forgotten?: string | null,
];
type Looked = [settings: string | null, CrawlState, nonce: string | null, forgotten?: string | null];

interface Identity {
  groups: number;
  siteOf(host: HostKey): SiteKey;
  secret: Buffer;
}

export async function crawlRegistry(
  store: RedisStore,
  { groups = groupCount }: { groups?: number | undefined },
): Promise<CrawlRegistry> {
  const identity = await identify(store, groups);
  const byId = new Map<CrawlId, StoredCrawl>();
  const numbers = new Map<string, StoredCrawl>();

  const step = async (script: Script, ...args: (string | number)[]): Promise<Reply> => {
    const [reply = null] = await store.run([{ key: storeTag, script, args }]);
    return refuseError(reply);
  };

  function keep(c: string, { settings, state, nonce, forgotten }: KeptCrawl): StoredCrawl {
    const known = numbers.get(c);
    const barred = forgotten ? barredBy(JSON.parse(forgotten) as Tombstone[]) : undefined;
    if (known?.nonce === nonce) return Object.assign(known, { settings, state, barred });
    // A store that went back in time gives numbers out again.
    if (known) drop(c);
    const key = createHmac('sha256', identity.secret).update(settings.id).digest();
    const print: Fingerprinter = fingerprinter(key);
    const alive = false;
    const crawl = {
      c,
      id: settings.id,
      nonce,
      settings,
      state,
      alive,
      openGroup: undefined,
      barred,
      print: (url: string) => print(url).toString(),
    };
    byId.set(crawl.id, crawl);
    numbers.set(c, crawl);
    return crawl;
  }

  /** It was erased. */
  function drop(c: string): void {
    const crawl = numbers.get(c);
    numbers.delete(c);
    if (crawl && byId.get(crawl.id) === crawl) byId.delete(crawl.id);
  }

  /** Another crawl may have its id by now: the next call looks it up. */
  function gone({ c, id }: StoredCrawl): WebfarerError {
    drop(c);
    return notThere(id);
  }

  const readOnly = { durable: false };

  async function refresh(): Promise<void> {
    const [reply = null] = await store.run([{ key: storeTag, script: scripts.active, args: [] }], readOnly);
    const found = new Set<string>();
    for (const each of replyArray(reply)) {
      const [c, text, state, nonce, alive, forgotten = null] = each as Active;
      found.add(c);
      const settings = JSON.parse(text) as FrontierCrawl;
      keep(c, { settings, state, nonce, forgotten }).alive = alive === 1;
    }
    const over = [...numbers.values()].filter(({ c, state }) => state !== 'finished' && !found.has(c));
    await Promise.all(over.map(({ c }) => lookUp(c)));
  }

  /** One that may be finished, or gone. */
  async function lookUp(c: string): Promise<void> {
    const args = ['HMGET', storeTag + c, 'settings', 'state', 'nonce', 'forgotten'];
    const [reply = null] = await store.run([{ key: storeTag, args }], readOnly);
    const [text, state, nonce, forgotten = null] = replyArray(reply) as Looked;
    if (text === null) return drop(c);
    const settings = JSON.parse(text) as FrontierCrawl;
    const [listed] = await store.run(
      [{ key: storeTag, args: ['HGET', `${storeTag}i`, settings.id] }],
      readOnly,
    );
    // What is being erased is out of the list first.
    if (listed !== c) return drop(c);
    keep(c, { settings, state, nonce: nonce ?? '', forgotten }).alive = false;
  }

  async function look(id: CrawlId): Promise<StoredCrawl | undefined> {
    const known = byId.get(id);
    if (known && known.state !== 'finished') return known;
    // One that is finished may have been erased, and begun again under its name.
    const args = ['HGET', `${storeTag}i`, id];
    const [c = null] = await store.run([{ key: storeTag, args }], readOnly);
    if (known && known.c !== c) drop(known.c);
    if (typeof c === 'string') await lookUp(c);
    return byId.get(id);
  }

  await refresh();
  return {
    groups: identity.groups,
    siteOf: identity.siteOf,
    all: () => [...numbers.values()],
    active: () => [...numbers.values()].filter(({ state }) => state !== 'finished'),
    byNumber: (c) => numbers.get(c),
    find: (id) => byId.get(id),
    async get(id) {
      const crawl = await look(id);
      if (!crawl) throw notThere(id);
      return crawl;
    },
    look,
    async open(settings) {
      const [reply = null] = await store.run([
        {
          key: storeTag,
          script: scripts.register,
          args: [settings.id, JSON.stringify(settings), randomUUID(), settings.nonce ?? ''],
        },
      ]);
      const [c, state, nonce] = replyArray(reply) as [string, CrawlState, string];
      if (c === '') throw notThere(settings.id);
      const [forgotten] = await store.run([{ key: storeTag, args: ['HGET', storeTag + c, 'forgotten'] }]);
      return keep(c, { settings, state, nonce, forgotten: typeof forgotten === 'string' ? forgotten : null });
    },
    async bar(crawl, barred) {
      const args = ['HSET', storeTag + crawl.c, 'forgotten', JSON.stringify(barred.tombstones)];
      await store.run([{ key: storeTag, args }]);
      crawl.barred = barred;
    },
    async setState(crawl, state) {
      if ((await step(scripts.crawlState, crawl.c, state)) === 'GONE') throw gone(crawl);
      crawl.state = state;
    },
    async read(crawl) {
      const args = ['HMGET', storeTag + crawl.c, 'state', 'opened', 'unseeded'];
      const [reply = null] = await store.run([{ key: storeTag, args }], readOnly);
      const [state, opened, unseeded] = replyArray(reply) as [
        CrawlState | null,
        string | null,
        string | null,
      ];
      if (state === null) throw gone(crawl);
      crawl.state = state;
      return { state, seeded: unseeded === null, opened: opened ?? '0' };
    },
    async setSeeded({ c }) {
      await store.run([{ key: storeTag, args: ['HDEL', storeTag + c, 'unseeded'] }]);
    },
    async finish(crawl, opened) {
      const answer = await step(scripts.finish, crawl.c, opened);
      if (answer === 'GONE') throw gone(crawl);
      if (answer === 'OK') crawl.state = 'finished';
      return answer === 'OK';
    },
    async reopen(crawl) {
      const before = (await step(scripts.reopen, crawl.c)) as CrawlState | '';
      if (before === '') throw gone(crawl);
      crawl.state = before === 'finished' ? 'running' : before;
      return before;
    },
    refresh,
    async sayAlive(served) {
      const args = [aliveSeconds, ...served];
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
