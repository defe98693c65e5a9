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
      const { team: name } = params;
      if (principal.scope !== 'admin' && principal.team !== name) none(name);
      // A team that nobody has described has defaults all the same.
      const team = (await teams.get(name)) ?? { name, version: 0, note: '', weight: 1, quotas: {} };
      return { ...team, inForce: teams.inForce(team.quotas), used: await teams.used(name) };
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
