import { WebfarerError } from '@webfarer/protocol';
import type { teamRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** Who shares the network, and how. */
export function teamHandlers({ teams }: ApiParts): HandlersOf<typeof teamRoutes> {
  return {
    async listTeams({ query }) {
      const { teams: items, next } = await teams.list(query);
      return { items, ...(next === undefined ? {} : { next }) };
    },
    async getTeam({ params, principal }) {
      const isOwn = principal.scope === 'admin' || principal.team === params.team;
      const team = (isOwn ? await teams.get(params.team) : undefined) ?? none(params.team);
      return { ...team, used: await teams.used(params.team) };
    },
    async putTeam({ params, body: { version, ...doc } }) {
      const answer = await teams.put(params.team, doc, version);
      if (answer.kind === 'changed') return { name: params.team, version: answer.doc.version, ...doc };
      throw new WebfarerError('conflict', `the team ${params.team} has changed since version ${version}`, {
        next: 'Read it again and repeat the change.',
      });
    },
    async deleteTeam({ params }) {
      if (!(await teams.remove(params.team))) none(params.team);
      return undefined;
    },
  };
}

function none(name: string): never {
  throw new WebfarerError('not-found', `there is no team ${JSON.stringify(name)} with a weight or quotas`);
}
