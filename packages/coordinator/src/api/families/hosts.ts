import { type HostKey, WebfarerError } from '@webfarer/protocol';
import type { hostRoutes } from '@webfarer/protocol/api';
import { type HostRule, type OptOut, readHostRule, readOptOut } from '@webfarer/protocol/crawl';
import { formatDuration } from '@webfarer/protocol/job';
import { isHostKey } from '@webfarer/protocol/url';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { slotMs } from '../../history/samples.ts';
import type { HostRules } from '../../host-rules/host-rules.ts';
import { ruleId, ruleIn } from '../../host-rules/rule-id.ts';
import type { RegistryDoc } from '../../registry/registry.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { teamIn } from '../call/crawl-teams.ts';
import { docsOf } from '../../registry/docs-of.ts';
import { requireRoom } from '../../teams/own-documents.ts';
import { mostOwnGapMs } from '../../admission/field-rules.ts';

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

  async function get(kind: Kind, id: string): Promise<RegistryDoc> {
    const doc = await registry.get(kind, id);
    if (doc) return doc;
    throw new WebfarerError('not-found', `there is no ${names[kind]} for ${named(id)}`, {
      next: `GET ${paths[kind]} lists those there are.`,
    });
  }

  /** That of the team, or of all teams where a team has none and none is named. */
  async function read(kind: Kind, { params, query, principal }: Asked): Promise<RegistryDoc> {
    const id = ruleId({ match: params.match, team: teamOf(query, principal) });
    if (query.team !== undefined || (await registry.get(kind, id))) return await get(kind, id);
    return await get(kind, params.match);
  }

  /** In place of what is kept; with a version only if it still has that. */
  async function put(kind: Kind, asked: Asked, { version, value }: Wanted): Promise<RegistryDoc> {
    const id = ruleId({ match: asked.params.match, team: teamOf(asked.query, asked.principal) });
    for (let tries = 1; ; tries++) {
      const before = await registry.get(kind, id);
      refuseOthers(kind, { id, doc: before, principal: asked.principal });
      if (!before) await requireRoom(kind, asked.principal, own(kind, ruleIn(id).team));
      const answer = await registry.put(kind, id, version ?? before?.version ?? 0, value);
      if (answer.kind === 'changed') {
        await look();
        return answer.doc;
      }
      if (version !== undefined || tries === TRIES) throw changedMeanwhile(kind, id, answer.doc);
    }
  }

  async function* own(kind: Kind, team: string | undefined) {
    for await (const doc of docsOf(registry, kind)) if (ruleIn(doc.id).team === team) yield doc;
  }

  async function remove(kind: Kind, asked: Asked): Promise<undefined> {
    for (let tries = 1; ; tries++) {
      const { id, version, value } = await read(kind, asked);
      refuseOthers(kind, { id, doc: { value }, principal: asked.principal });
      const answer = await registry.remove(kind, id, version);
      if (answer.kind === 'changed') {
        await look();
        return undefined;
      }
      if (tries === TRIES) throw changedMeanwhile(kind, id, answer.doc);
    }
  }

  async function list<T>(kind: Kind, { query, principal }: Listed, shown: (doc: RegistryDoc) => T) {
    const { docs, next } = await registry.list(kind, query);
    const seen = docs.filter(({ id }) => maySee(principal, ruleIn(id).team));
    return { items: seen.map(shown), ...(next === undefined ? {} : { next }) };
  }

  const set = ({ id, scope }: Principal) => ({
    by: id,
    atMs: Math.round(clock.wall()),
    ...(scope === 'admin' ? { byAdmin: true as const } : {}),
  });

  return {
    listHostRules: (call) => list('host-rule', call, shownRule),
    getHostRule: async (call) => shownRule(await read('host-rule', call)),
    async putHostRule({ params, query, body: { version, gapMs, block, note }, principal }) {
      if (gapMs !== undefined) refuseLongGap(gapMs, principal);
      const value: HostRule = {
        ...(gapMs === undefined ? {} : { gapMs }),
        ...(block === undefined ? {} : { block }),
        ...(note === undefined ? {} : { note }),
        ...set(principal),
      };
      return shownRule(await put('host-rule', { params, query, principal }, { version, value }));
    },
    deleteHostRule: (call) => remove('host-rule', call),
    listOptOuts: (call) => list('opt-out', call, shownOptOut),
    getOptOut: async (call) => shownOptOut(await read('opt-out', call)),
    async putOptOut({ params, query, body: { version, reason, contact, date }, principal }) {
      const value: OptOut = { reason, contact, date, ...set(principal) };
      return shownOptOut(await put('opt-out', { params, query, principal }, { version, value }));
    },
    deleteOptOut: (call) => remove('opt-out', call),
    getHost({ params: { match: host }, query, principal }) {
      if (!isHostKey(host) || host.includes('*'))
        throw new WebfarerError('usage', `${host} stands for several hosts`, { next: 'Name one host.' });
      return { host, ...standingOf(rules, host, teamOf(query, principal)) };
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

interface Asked {
  params: { match: string };
  query: { team?: string | undefined };
  principal: Principal;
}

interface Listed {
  query: { after: string; limit: number };
  principal: Principal;
}

interface Wanted {
  version: number | undefined;
  value: unknown;
}

const names: Record<Kind, string> = { 'host-rule': 'host rule', 'opt-out': 'opt-out' };
const paths: Record<Kind, string> = { 'host-rule': '/v1/host-rules', 'opt-out': '/v1/opt-outs' };

/** The team that a request is about; undefined: all. */
function teamOf({ team: asked }: Asked['query'], principal: Principal): string | undefined {
  const own = principal.scope === 'admin' ? '*' : teamIn(principal);
  const team = asked ?? own;
  if (team === '*') return undefined;
  if (maySee(principal, team)) return team;
  throw new WebfarerError('forbidden', `the token is not for the team ${team}`, {
    next: 'Leave team out, or use a token of that team.',
  });
}

/** Rules for all crawls are for all to see. */
function maySee(principal: Principal, team: string | undefined): boolean {
  return principal.scope === 'admin' || team === undefined || team === teamIn(principal);
}

/** An operator decides for the crawls of its team, about hosts that it names, as far as no admin has decided. */
function refuseOthers(
  kind: Kind,
  { id, doc, principal }: { id: string; doc: { value: unknown } | undefined; principal: Principal },
): void {
  if (principal.scope === 'admin') return;
  const { match, team } = ruleIn(id);
  const refuse = (why: string) => {
    throw new WebfarerError('forbidden', why, {
      next: 'Set a rule for single hosts in the crawls of your team, or ask an admin.',
    });
  };
  if (team === undefined) refuse(`${anA[kind]} for all teams needs an admin token`);
  if (match === '*') refuse(`${anA[kind]} for all hosts needs an admin token`);
  if ((doc?.value as { byAdmin?: unknown } | undefined)?.byAdmin === true)
    refuse(`an admin set the ${names[kind]} for ${named(id)}`);
}

function refuseLongGap(gapMs: number, { scope }: Principal): void {
  if (scope === 'admin' || gapMs <= mostOwnGapMs) return;
  throw new WebfarerError(
    'forbidden',
    `a pause of more than ${formatDuration(mostOwnGapMs)} needs an admin token: other teams wait for the host as well`,
    { next: 'Set a shorter pause, or block the host for your team.' },
  );
}

const anA: Record<Kind, string> = { 'host-rule': 'a host rule', 'opt-out': 'an opt-out' };

function named(id: string): string {
  const { match, team } = ruleIn(id);
  return team === undefined ? match : `${match} in the team ${team}`;
}

function shownRule({ id, version, value }: RegistryDoc) {
  return { ...ruleIn(id), version, ...(readHostRule(value) ?? { by: 'unknown', atMs: 0 }) };
}

function shownOptOut({ id, version, value }: RegistryDoc) {
  return { ...ruleIn(id), version, ...readOptOut(value) };
}

function standingOf(rules: Pick<HostRules, 'of'>, host: HostKey, team: string | undefined) {
  const ruling = rules.of(host, team);
  if (!ruling) return {};
  const { rule } = ruling;
  return ruling.kind === 'refuse' ? { refused: ruling.reason, rule } : { gapMs: ruling.gapMs, rule };
}

function changedMeanwhile(kind: Kind, id: string, doc: RegistryDoc | undefined): WebfarerError {
  const now = doc ? `is now at version ${doc.version}` : 'is not there';
  return new WebfarerError('conflict', `the ${names[kind]} for ${named(id)} has changed and ${now}`, {
    next: 'Read it again and repeat the change.',
  });
}
