import { type HostKey, WebfarerError } from '@webfarer/protocol';
import type { hostRoutes } from '@webfarer/protocol/api';
import { type HostRule, type OptOut, readHostRule, readOptOut } from '@webfarer/protocol/crawl';
import { isHostKey } from '@webfarer/protocol/url';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { slotMs } from '../../history/samples.ts';
import type { HostRules } from '../../host-rules/host-rules.ts';
import type { RegistryDoc } from '../../registry/registry.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';

type Parts = Pick<ApiParts, 'crawls' | 'history' | 'registry' | 'registryWatch' | 'rules' | 'clock'>;
type Kind = 'host-rule' | 'opt-out';

/** How often a change is tried again that another one came before. */
const TRIES = 5;

/** Rules for hosts, opt-outs of site owners, and the hosts of a crawl. */
export function hostHandlers(parts: Parts): HandlersOf<typeof hostRoutes> {
  const { crawls, registry, rules, clock } = parts;
  /** What was just written holds here from now on; everywhere else within 5 s. */
  const look = () => parts.registryWatch.look();

  async function find(name: string): Promise<CatalogEntry> {
    const entry = await crawls.find(name);
    if (entry) return entry;
    throw new WebfarerError('not-found', `there is no crawl ${JSON.stringify(name)}`, {
      next: 'GET /v1/crawls lists the crawls there are.',
    });
  }

  async function get(kind: Kind, match: string): Promise<RegistryDoc> {
    const doc = await registry.get(kind, match);
    if (doc) return doc;
    throw new WebfarerError('not-found', `there is no ${names[kind]} for ${match}`, {
      next: `GET ${paths[kind]} lists those there are.`,
    });
  }

  /** In place of what is kept; with a version only if it still has that. */
  async function put(kind: Kind, match: string, { version, value }: Wanted): Promise<RegistryDoc> {
    for (let tries = 1; ; tries++) {
      const known = version ?? (await registry.get(kind, match))?.version ?? 0;
      const answer = await registry.put(kind, match, known, value);
      if (answer.kind === 'changed') {
        await look();
        return answer.doc;
      }
      if (version !== undefined || tries === TRIES) throw changedMeanwhile(kind, match, answer.doc);
    }
  }

  async function remove(kind: Kind, match: string): Promise<undefined> {
    for (let tries = 1; ; tries++) {
      const { version } = await get(kind, match);
      const answer = await registry.remove(kind, match, version);
      if (answer.kind === 'changed') {
        await look();
        return undefined;
      }
      if (tries === TRIES) throw changedMeanwhile(kind, match, answer.doc);
    }
  }

  async function list<T>(kind: Kind, page: { after: string; limit: number }, shown: (doc: RegistryDoc) => T) {
    const { docs, next } = await registry.list(kind, page);
    return { items: docs.map(shown), ...(next === undefined ? {} : { next }) };
  }

  const set = ({ id }: Principal) => ({ by: id, atMs: Math.round(clock.now()) });

  return {
    listHostRules: ({ query }) => list('host-rule', query, shownRule),
    getHostRule: async ({ params }) => shownRule(await get('host-rule', params.match)),
    async putHostRule({ params, body: { version, gapMs, block, note }, principal }) {
      const value: HostRule = {
        ...(gapMs === undefined ? {} : { gapMs }),
        ...(block === undefined ? {} : { block }),
        ...(note === undefined ? {} : { note }),
        ...set(principal),
      };
      return shownRule(await put('host-rule', params.match, { version, value }));
    },
    deleteHostRule: ({ params }) => remove('host-rule', params.match),
    listOptOuts: ({ query }) => list('opt-out', query, shownOptOut),
    getOptOut: async ({ params }) => shownOptOut(await get('opt-out', params.match)),
    async putOptOut({ params, body: { version, reason, contact, date }, principal }) {
      const value: OptOut = { reason, contact, date, ...set(principal) };
      return shownOptOut(await put('opt-out', params.match, { version, value }));
    },
    deleteOptOut: ({ params }) => remove('opt-out', params.match),
    getHost({ params: { match: host } }) {
      if (!isHostKey(host) || host.includes('*'))
        throw new WebfarerError('usage', `${host} stands for several hosts`, { next: 'Name one host.' });
      return { host, ...standingOf(rules, host) };
    },
    async getHostHistory({ params }) {
      const { samples, hosts } = await parts.history.hosts(await find(params.crawl));
      return { stepMs: slotMs, moments: samples, items: hosts };
    },
    async listCrawlHosts({ params, query }) {
      const entry = await find(params.crawl);
      const crawl = crawls.running(entry);
      if (!crawl)
        throw new WebfarerError('conflict', `this coordinator does not work on the crawl ${entry.name}`, {
          next: 'Resume the crawl, or ask a coordinator that works on it.',
        });
      return { items: await crawl.hosts(query.limit) };
    },
  };
}

interface Wanted {
  version: number | undefined;
  value: unknown;
}

const names: Record<Kind, string> = { 'host-rule': 'host rule', 'opt-out': 'opt-out' };
const paths: Record<Kind, string> = { 'host-rule': '/v1/host-rules', 'opt-out': '/v1/opt-outs' };

function shownRule({ id, version, value }: RegistryDoc) {
  return { match: id, version, ...(readHostRule(value) ?? { by: 'unknown', atMs: 0 }) };
}

function shownOptOut({ id, version, value }: RegistryDoc) {
  return { match: id, version, ...readOptOut(value) };
}

function standingOf(rules: Pick<HostRules, 'of'>, host: HostKey) {
  const ruling = rules.of(host);
  if (!ruling) return {};
  const { rule } = ruling;
  return ruling.kind === 'refuse' ? { refused: ruling.reason, rule } : { gapMs: ruling.gapMs, rule };
}

function changedMeanwhile(kind: Kind, match: string, doc: RegistryDoc | undefined): WebfarerError {
  const now = doc ? `is now at version ${doc.version}` : 'is not there';
  return new WebfarerError('conflict', `the ${names[kind]} for ${match} has changed and ${now}`, {
    next: 'Read it again and repeat the change.',
  });
}
