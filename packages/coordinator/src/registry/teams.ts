import { type Clock, WebfarerError } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import type { PutAnswer, Registry, RegistryDoc } from './registry.ts';
import type { RegistryWatch } from './watch-registry.ts';

/** What a team may use. An absent quota means none. */
export interface TeamQuotas {
  /** Crawls that are not over. */
  crawls?: number | undefined;
  /** Pages that those crawls may fetch together, by their limits. */
  urls?: number | undefined;
  /** Bytes that the crawls created within 24 hours may receive together, by their limits. */
  bytesPerDay?: number | undefined;
}

export interface TeamDoc {
  note: string;
  /** How much of the workers its crawls get, beside those of other teams. */
  weight: number;
  quotas: TeamQuotas;
}

export interface Team extends TeamDoc {
  name: string;
  version: number;
}

/** A crawl that is about to be created. Absent limits: none. */
export interface QuotaClaim {
  team: string;
  crawl: string;
  pages: number | undefined;
  bytes: number | undefined;
}

export interface Teams {
  list(page: { after: string; limit: number }): Promise<{ teams: Team[]; next: string | undefined }>;
  get(name: string): Promise<Team | undefined>;
  /** Undefined as version: whatever stands. */
  put(name: string, doc: TeamDoc, version?: number): Promise<PutAnswer>;
  remove(name: string): Promise<boolean>;
  /** As last seen; 1 for a team that nobody has described. */
  weightOf(name: string): number;
  /**
   * Counts a crawl against the quotas of its team, or throws `quota`. The one place that does. Of several crawls that
   * are created at once, on whatever coordinators, no more pass than the quotas allow.
   */
  claim(claim: QuotaClaim): Promise<void>;
  /** The crawl was not created after all. */
  giveBack(claim: Pick<QuotaClaim, 'team' | 'crawl'>): Promise<void>;
}

export interface TeamsOptions {
  registry: Registry;
  watch: RegistryWatch;
  clock: Pick<Clock, 'now'>;
  /** Whether the crawl of this name exists and is not over. */
  isActive: (crawl: string) => Promise<boolean>;
}

/** `team-usage` in the registry, by team. */
interface Usage {
  crawls: { crawl: string; pages: number; bytes: number; atMs: number }[];
}

const DAY_MS = 86_400_000;
/** A crawl that is being created counts as active for so long, before anything else knows of it. */
const CREATING_MS = 60_000;

export function openTeams({ registry, watch, clock, isActive }: TeamsOptions): Teams {
  let seen: ReadonlyMap<string, RegistryDoc<TeamDoc>> | undefined;
  let following: Promise<unknown> | undefined;

  async function get(name: string): Promise<Team | undefined> {
    const doc = await registry.get('team', name);
    return doc && teamIn(doc as RegistryDoc<TeamDoc>);
  }

  async function change(name: string, work: (usage: Usage) => Promise<Usage>): Promise<void> {
    const doc = await registry.get('team-usage', name);
    const next = await work((doc?.value as Usage | undefined) ?? { crawls: [] });
    if (next === doc?.value) return;
    const answer = await registry.put('team-usage', name, doc?.version ?? 0, next);
    if (answer.kind === 'stale') await change(name, work);
  }

  /** The usage with this crawl, or the reason why it would be too much. */
  async function withClaim(
    { team, crawl, pages, bytes }: QuotaClaim,
    quotas: TeamQuotas,
    usage: Usage,
  ): Promise<Usage> {
    const nowMs = Math.round(clock.now());
    // It counts already: a coordinator that joins it, or comes back to it, adds nothing.
    const counts = usage.crawls.some((one) => one.crawl === crawl) && (await isActive(crawl));
    if (counts) return usage;
    const others = usage.crawls.filter((one) => one.crawl !== crawl);
    const counted = await Promise.all(
      others.map(async (one) => ({
        ...one,
        active: nowMs - one.atMs < CREATING_MS || (await isActive(one.crawl)),
        recent: nowMs - one.atMs < DAY_MS,
      })),
    );
    const active = counted.filter((one) => one.active);
    const recent = counted.filter((one) => one.recent);
    refuseOver(team, 'crawls at once', { quota: quotas.crawls, used: active.length, more: 1 });
    const sum = (all: typeof counted, of: 'pages' | 'bytes') =>
      all.reduce((total, one) => total + one[of], 0);
    refuseOver(team, 'pages', { quota: quotas.urls, used: sum(active, 'pages'), more: pages });
    refuseOver(team, 'bytes a day', { quota: quotas.bytesPerDay, used: sum(recent, 'bytes'), more: bytes });
    const kept = counted
      .filter((one) => one.active || one.recent)
      .map(({ active: _active, recent: _recent, ...one }) => one);
    return { crawls: [...kept, { crawl, pages: pages ?? 0, bytes: bytes ?? 0, atMs: nowMs }] };
  }

  return {
    get,
    async list(page) {
      const { docs, next } = await registry.list('team', page);
      return { teams: (docs as RegistryDoc<TeamDoc>[]).map(teamIn), next };
    },
    async put(name, doc, version) {
      if (version !== undefined) return await registry.put('team', name, version, doc);
      for (;;) {
        const answer = await registry.put(
          'team',
          name,
          (await registry.get('team', name))?.version ?? 0,
          doc,
        );
        if (answer.kind === 'changed') return answer;
      }
    },
    async remove(name) {
      for (;;) {
        const doc = await registry.get('team', name);
        if (!doc) return false;
        if ((await registry.remove('team', name, doc.version)).kind === 'changed') return true;
      }
    },
    weightOf(name) {
      // Nothing is followed, and no file made, before a crawl of a team of its own runs here.
      if (name !== defaultTeam)
        following ??= watch.follow<TeamDoc>('team').then(
          ({ docs }) => (seen = docs),
          () => (following = undefined),
        );
      return seen?.get(name)?.value.weight ?? 1;
    },
    async claim(claim) {
      const quotas = (await get(claim.team))?.quotas ?? {};
      if (Object.values(quotas).every((quota) => quota === undefined)) return;
      await change(claim.team, (usage) => withClaim(claim, quotas, usage));
    },
    async giveBack({ team, crawl }) {
      if (!(await registry.get('team-usage', team)) || (await isActive(crawl))) return;
      await change(team, async ({ crawls }) => ({ crawls: crawls.filter((one) => one.crawl !== crawl) }));
    },
  };
}

function teamIn({ id, version, value }: RegistryDoc<TeamDoc>): Team {
  return { name: id, version, ...value };
}

interface Amount {
  quota: number | undefined;
  used: number;
  /** Undefined: no limit. */
  more: number | undefined;
}

function refuseOver(team: string, what: string, { quota, used, more }: Amount): void {
  if (quota === undefined || (more !== undefined && used + more <= quota)) return;
  if (more === undefined)
    throw new WebfarerError(
      'quota',
      `the team ${team} has a quota of ${quota} ${what}, and the job has no limit`,
      {
        next: 'Set limits.pages and limits.bytes in the job.',
      },
    );
  throw new WebfarerError(
    'quota',
    `the team ${team} has a quota of ${quota} ${what} and uses ${used} of it`,
    {
      next: `The crawl would need ${more} more. Lower its limits, or wait until other crawls of the team are over.`,
    },
  );
}
