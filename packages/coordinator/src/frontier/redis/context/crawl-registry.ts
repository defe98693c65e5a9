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
import type { FrontierCrawl } from '../../frontier.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { storeTag } from '../../../redis/keys.ts';
import { type Reply, ReplyError } from '../../../redis/wire/resp.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore, Script } from '../../../redis/store.ts';
import { type Change, crawlSteps, type CrawlSteps, readBarred } from './crawl-steps.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Raised with every change of keys or scripts that an older program would misread. */
export const storeVersion = 3;

/** What the whole store knows of its crawls. Copies in memory; the store decides. */
export interface CrawlRegistry extends CrawlSteps {
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
  /** All its seeds were offered. */
  setSeeded(crawl: StoredCrawl): Promise<void>;
  refresh(): Promise<void>;
  /** Lets others know that somebody asks for URLs of these. */
  sayAlive(served: string[]): Promise<void>;
}

/** Nobody has asked for so long: the crawl is left alone and need not be waited for. */
const aliveSeconds = 5;

interface KeptCrawl {
  change: Change;
  nonce: string;
  forgotten: string | null;
}

type Active = [c: string, Change, nonce: string, alive: number, forgotten: string];
type Looked = [
  settings: string | null,
  CrawlState,
  order: string | null,
  told: string | null,
  nonce: string | null,
  forgotten: string | null,
];

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
  /** In which epoch of the store it was last read, and its settings as they were written then. */
  const read = new WeakMap<StoredCrawl, { epoch: string; text: string }>();

  const step = async (script: Script, ...args: (string | number)[]): Promise<Reply> => {
    const [reply = null] = await store.run([{ key: storeTag, script, args }]);
    return refuseError(reply);
  };

  /** Answers may overtake each other: an older one changes nothing, unless the store itself went back in time. */
  function take(crawl: StoredCrawl, [text, state, order, told]: Change): void {
    const before = read.get(crawl);
    if (order < crawl.order && before?.epoch === store.epoch()) return;
    read.set(crawl, { epoch: store.epoch(), text });
    Object.assign(crawl, { state, order, told });
    if (before?.text !== text) crawl.settings = JSON.parse(text) as FrontierCrawl;
  }

  function keep(c: string, { change, nonce, forgotten }: KeptCrawl): StoredCrawl {
    const known = numbers.get(c);
    const barred = readBarred(forgotten);
    if (known?.nonce === nonce) {
      take(known, change);
      return Object.assign(known, { barred });
    }
    const [text, state, order, told] = change;
    const settings = JSON.parse(text) as FrontierCrawl;
    // A store that went back in time gives numbers out again.
    if (known) drop(c);
    const key = createHmac('sha256', identity.secret).update(settings.id).digest();
    const print: Fingerprinter = fingerprinter(key);
    const crawl = {
      c,
      id: settings.id,
      nonce,
      settings,
      state,
      order,
      told,
      lateSinceMs: undefined,
      alive: false,
      openGroup: undefined,
      barred,
      print: (url: string) => print(url).toString(),
    };
    read.set(crawl, { epoch: store.epoch(), text });
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
      const [c, change, nonce, alive, forgotten] = each as unknown as Active;
      found.add(c);
      keep(c, { change, nonce, forgotten }).alive = alive === 1;
    }
    const over = [...numbers.values()].filter(({ c, state }) => state !== 'finished' && !found.has(c));
    await Promise.all(over.map(({ c }) => lookUp(c)));
  }

  /** One that may be finished, or gone. */
  async function lookUp(c: string): Promise<void> {
    const args = ['HMGET', storeTag + c, 'settings', 'state', 'order', 'told', 'nonce', 'forgotten'];
    const [reply = null] = await store.run([{ key: storeTag, args }], readOnly);
    const [text, state, order, told, nonce, forgotten] = replyArray(reply) as Looked;
    if (text === null) return drop(c);
    const { id } = JSON.parse(text) as FrontierCrawl;
    const [listed] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}i`, id] }], readOnly);
    // What is being erased is out of the list first.
    if (listed !== c) return drop(c);
    const change: Change = [text, state, Number(order), Number(told)];
    keep(c, { change, nonce: nonce ?? '', forgotten }).alive = false;
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
    async open({ edit = '', ...settings }) {
      const { id, nonce: wanted = '' } = settings;
      const args = [id, JSON.stringify(settings), randomUUID(), wanted, edit];
      const reply = replyArray(await step(scripts.register, ...args));
      const [c, nonce, change, forgotten] = reply as unknown as [string, string, Change, string];
      if (c === '') throw notThere(id);
      return keep(c, { change, nonce, forgotten });
    },
    ...crawlSteps({ step, store, take, gone, lookUp }),
    async setSeeded({ c }) {
      await store.run([{ key: storeTag, args: ['HDEL', storeTag + c, 'unseeded'] }]);
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
