import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { defaultQuotas } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import type { PutAnswer, Registry, RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import { countOpenCrawls, seedBytesIn } from './open-crawls.ts';
import {
  type CountedCrawl,
  renewalText,
  type SeenCrawl,
  spentQuota,
  type TeamQuotas,
  type TeamUsage,
  usageAt,
  withSeen,
} from './team-usage.ts';

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

/** A crawl that is about to be created or taken up, with its job as it was written or resolved. */
export interface ClaimedCrawl {
  name: string;
  job: unknown;
}

export interface QuotaClaim {
  team: string;
  crawl: string;
  /** Of its job. */
  seeds: unknown;
  /** It was open before, at an earlier start or another coordinator: it counts, and stays. */
  wasOpen: boolean;
  /** Nothing of it was fetched before. */
  isNew: () => Promise<boolean>;
}

/** What a team has used. */
export interface TeamUsed {
  /** Crawls that are not over, and the text of their seeds. */
  crawls: number;
  seedBytes: number;
  /** Undefined where nothing is counted, because no quota needs it. */
  pagesToday: number | undefined;
  pagesThisMonth: number | undefined;
  bytesToday: number | undefined;
  bytesThisMonth: number | undefined;
}

export interface Teams {
  list(page: { after: string; limit: number }): Promise<{ teams: Team[]; next: string | undefined }>;
  get(name: string): Promise<Team | undefined>;
  /** Undefined as version: whatever stands. */
  put(name: string, doc: TeamDoc, version?: number): Promise<PutAnswer>;
  remove(name: string): Promise<boolean>;
  /** As last seen; 1 for a team that nobody has described. */
  weightOf(name: string): number;
  /** As last seen, at most two seconds ago; undefined: nothing that its crawls fetch is counted. */
  quotasOf(name: string): Promise<TeamQuotas | undefined>;
  /** With the defaults where a team has no number of its own. */
  inForce(quotas: TeamQuotas): TeamQuotas;
  /** Since the team was described. */
  used(name: string): Promise<TeamUsed>;
  /** Throws `quota` where a crawl that is not open may not be opened now. */
  mayOpen(crawl: ClaimedCrawl): Promise<void>;
  /**
   * Counts a crawl against the quotas of its team, or throws `quota`. Of several crawls that are created at once at this
   * coordinator, no more pass than the quotas allow; where the team has quotas of its own, on whatever coordinators.
   */
  claim(claim: QuotaClaim): Promise<void>;
  /** The crawl was not created after all. */
  giveBack(claim: Pick<QuotaClaim, 'team' | 'crawl'>): Promise<void>;
  /** Adds what its crawls have fetched since they were last counted, here or elsewhere; answers all that was used. */
  count(team: string, seen: readonly SeenCrawl[]): Promise<TeamUsage>;
}

export interface TeamsOptions {
  registry: Registry;
  watch: RegistryWatch;
  clock: Pick<DatedClock, 'wall'>;
  /** Whether the crawl of this name exists and is not over. */
  isActive: (crawl: string) => Promise<boolean>;
  /** Whether the crawl of this name is open here, or about to be. */
  isOpen: (crawl: string) => boolean;
  /** It serves operators. Else nothing is followed, and no file made, before a crawl of a team of its own runs here. */
  standing: boolean;
}

/** A crawl that is being created counts as active for so long, before anything else knows of it. */
const CREATING_MS = 60_000;
/** Of the crawls that are counted: half of what a document may have, since their figures grow. About 1,200 crawls. */
const MOST_BYTES = 131_072;
/** A team that may have more open crawls than a document lists, and no quota of what they fetch, needs no document. */
const MOST_LISTED = 1_000;

export function openTeams(options: TeamsOptions): Teams {
  const { registry, watch, clock, isActive, standing } = options;
  const open = countOpenCrawls(options.isOpen);
  /** A crawl by itself has no operators to hold to anything. */
  const defaults: TeamQuotas = standing ? defaultQuotas : {};
  let seen: ReadonlyMap<string, RegistryDoc<TeamDoc>> | undefined;
  let following: Promise<unknown> | undefined;
  const docs = teamDocs(registry);
  const nowMs = () => Math.round(clock.wall());
  const inForce = (quotas: TeamQuotas): TeamQuotas => ({ ...defaults, ...quotas });

  function follow(name: string): Promise<unknown> | undefined {
    if (standing || name !== defaultTeam)
      following ??= watch.follow<TeamDoc>('team').then(
        ({ docs }) => (seen = docs),
        () => (following = undefined),
      );
    return following;
  }

  function lastSeen(name: string): TeamDoc | undefined {
    void follow(name);
    return seen?.get(name)?.value;
  }

  /** Changes what stands, however often others change it meanwhile. */
  async function change(
    name: string,
    work: (usage: TeamUsage) => TeamUsage | Promise<TeamUsage>,
  ): Promise<TeamUsage> {
    for (;;) {
      const doc = await registry.get('team-usage', name);
      const now = usageAt(doc?.value as TeamUsage | undefined, nowMs());
      const next = await work(now);
      if (next === now) return now;
      const answer = await registry.put('team-usage', name, doc?.version ?? 0, next);
      if (answer.kind === 'changed') return next;
    }
  }

  async function activeAmong(crawls: readonly CountedCrawl[]): Promise<CountedCrawl[]> {
    const isBegun = ({ id, atMs }: CountedCrawl) => id !== undefined || nowMs() - atMs >= CREATING_MS;
    const isLive = await Promise.all(crawls.map(async (one) => !isBegun(one) || (await isActive(one.crawl))));
    return crawls.filter((_, i) => isLive[i]);
  }

  /** The usage with this crawl, or the reason why it would be too much. */
  async function withClaim(
    { team, crawl, isNew, wasOpen }: QuotaClaim,
    quotas: TeamQuotas,
    usage: TeamUsage,
  ): Promise<TeamUsage> {
    // It counts already: a coordinator that joins it, or comes back to it, adds nothing.
    if (usage.crawls.some((one) => one.crawl === crawl) && (await isActive(crawl))) return usage;
    const active = await activeAmong(usage.crawls.filter((one) => one.crawl !== crawl));
    if (!wasOpen) refuseOver(team, quotas, active.length);
    const isUnseen = await isNew();
    if (isUnseen) refuseSpent(team, quotas, usage, nowMs());
    const begins = isUnseen ? { pages: 0, bytes: 0 } : {};
    const crawls = [...active, { crawl, atMs: nowMs(), ...begins }];
    if (Buffer.byteLength(JSON.stringify(crawls)) <= MOST_BYTES) return { ...usage, crawls };
    throw new WebfarerError('quota', `the team ${team} has ${active.length} crawls that are not over`, {
      next: 'A team with quotas cannot have more. Wait until some are over, or stop them.',
    });
  }

  return {
    ...docs,
    weightOf: (name) => lastSeen(name)?.weight ?? 1,
    async quotasOf(name) {
      await follow(name);
      const quotas = lastSeen(name)?.quotas;
      return quotas && isListed(quotas) ? quotas : undefined;
    },
    inForce,
    async used(name) {
      const quotas = (await docs.get(name))?.quotas;
      const doc = quotas && isListed(quotas) ? await registry.get('team-usage', name) : undefined;
      const usage =
        quotas && isListed(quotas) ? usageAt(doc?.value as TeamUsage | undefined, nowMs()) : undefined;
      return {
        ...open.of(name),
        pagesToday: usage?.day.pages,
        pagesThisMonth: usage?.month.pages,
        bytesToday: usage?.day.bytes,
        bytesThisMonth: usage?.month.bytes,
      };
    },
    async mayOpen({ name, job }) {
      const { team = defaultTeam, seeds } = job as { team?: string; seeds?: unknown };
      const quotas = inForce((await docs.get(team))?.quotas ?? {});
      open.judge({ team, crawl: name, seedBytes: seedBytesIn(seeds) }, quotas);
    },
    async claim(claim) {
      const team = await docs.get(claim.team);
      const one = { ...claim, seedBytes: seedBytesIn(claim.seeds) };
      if (!claim.wasOpen) open.judge(one, inForce(team?.quotas ?? {}));
      open.enter(one);
      if (team && isListed(team.quotas))
        await change(claim.team, (usage) => withClaim(claim, team.quotas, usage));
    },
    async giveBack({ team, crawl }) {
      open.leave({ team, crawl });
      if (!(await registry.get('team-usage', team)) || (await isActive(crawl))) return;
      await change(team, (usage) => {
        const crawls = usage.crawls.filter((one) => one.crawl !== crawl);
        return crawls.length === usage.crawls.length ? usage : { ...usage, crawls };
      });
    },
    count: (team, crawls) => change(team, (usage) => withSeen(usage, crawls, nowMs())),
  };
}

/** What admins have written about teams. */
function teamDocs(registry: Registry): Pick<Teams, 'list' | 'get' | 'put' | 'remove'> {
  return {
    async get(name) {
      const doc = await registry.get('team', name);
      return doc && teamIn(doc as RegistryDoc<TeamDoc>);
    },
    async list(page) {
      const { docs, next } = await registry.list('team', page);
      return { teams: (docs as RegistryDoc<TeamDoc>[]).map(teamIn), next };
    },
    async put(name, doc, version) {
      if (version !== undefined) return await registry.put('team', name, version, doc);
      for (;;) {
        const stands = (await registry.get('team', name))?.version ?? 0;
        const answer = await registry.put('team', name, stands, doc);
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
  };
}

/** Whether a document lists its crawls, with what they have fetched. */
function isListed(quotas: TeamQuotas): boolean {
  const { crawls = defaultQuotas.crawls, seedBytes: _seedBytes, ...fetched } = quotas;
  return crawls <= MOST_LISTED || Object.keys(fetched).length > 0;
}

function teamIn({ id, version, value }: RegistryDoc<TeamDoc>): Team {
  return { name: id, version, ...value };
}

function refuseOver(team: string, { crawls: most }: TeamQuotas, active: number): void {
  if (most === undefined || active < most) return;
  throw new WebfarerError(
    'quota',
    `the team ${team} has ${active} open crawls at all coordinators, and its quota is ${most}`,
    {
      next: `Wait until crawls of the team are over, stop one, or ask an admin to raise crawls of the team: PUT /v1/teams/${team}.`,
    },
  );
}

function refuseSpent(team: string, quotas: TeamQuotas, usage: TeamUsage, nowMs: number): void {
  const spent = spentQuota(quotas, usage, nowMs);
  if (!spent) return;
  throw new WebfarerError('quota', `the team ${team} has fetched ${spent.text}`, {
    next: `Create the crawl after ${renewalText(spent)}, or ask an admin to raise ${spent.quota}.`,
  });
}
