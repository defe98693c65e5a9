import { WebfarerError } from '@webfarer/protocol';
import type { Route } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Call, HandlersOf, Principal } from './call.ts';
import type { CrawlDirectory } from './crawl-directory.ts';

/** The team that a crawl belongs to. */
function teamOf({ job }: Pick<CatalogEntry, 'job'>): string {
  return (job as { team?: string } | undefined)?.team ?? defaultTeam;
}

export const teamIn = ({ team }: Principal): string => team || defaultTeam;

/** A token sees the crawls of its team, an admin those of all teams. */
export function maySee(principal: Principal, entry: Pick<CatalogEntry, 'job'>): boolean {
  return principal.scope === 'admin' || teamOf(entry) === teamIn(principal);
}

/** The job as that of a team: the one of its creator, or any for an admin. */
export function ofTeam(input: unknown, principal: Principal): unknown {
  const job = input as { team?: string };
  const own = teamIn(principal);
  if (job.team === undefined) return own === defaultTeam ? input : { ...job, team: own };
  if (principal.scope === 'admin' || job.team === own) return input;
  throw otherTeam(job.team);
}

/** A crawl stays with its team, unless an admin moves it. */
export function refuseMove(changes: Record<string, unknown>, principal: Principal): void {
  if (!('team' in changes) || principal.scope === 'admin') return;
  throw otherTeam(String(changes['team']));
}

/**
 * The handlers behind one check: a crawl of another team is as if there were none, on every route that names a crawl in
 * its path.
 */
export function behindTeams<Table extends Record<string, Route>>(
  handlers: HandlersOf<Table>,
  crawls: Pick<CrawlDirectory, 'find'>,
): HandlersOf<Table> {
  type AnyHandler = (call: Call<Route>) => unknown;
  const guarded = Object.entries(handlers as Record<string, AnyHandler>).map(([name, handler]) => [
    name,
    async (call: Call<Route>) => {
      const { crawl } = call.params as { crawl?: string };
      if (crawl !== undefined && call.principal) {
        const entry = await crawls.find(crawl);
        if (entry && !maySee(call.principal, entry)) throw noSuchCrawl(crawl);
      }
      return await handler(call);
    },
  ]);
  return Object.fromEntries(guarded) as HandlersOf<Table>;
}

/** The same words whether there is none or it is not for the caller to know. */
export function noSuchCrawl(name: string): WebfarerError {
  return new WebfarerError('not-found', `there is no crawl ${JSON.stringify(name)}`, {
    next: 'GET /v1/crawls lists the crawls there are.',
  });
}

function otherTeam(team: string): WebfarerError {
  return new WebfarerError('forbidden', `the token is not for the team ${team}`, {
    next: 'Leave team out of the job, or use a token of that team.',
  });
}
