import { WebfarerError } from '@webfarer/protocol';
import { type policyRoutes, scopeCovers } from '@webfarer/protocol/api';
import { checkPolicy } from '@webfarer/protocol/job';
import type { Policies, PolicyVersion } from '../../registry/policies.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { shownJob } from '../call/job-input.ts';
import { requireRoom, requireVersions } from '../../teams/own-documents.ts';

/** Name, version and reuse the parts of jobs that decide. */
export function policyHandlers({ policies, jobs }: ApiParts): HandlersOf<typeof policyRoutes> {
  return {
    async listPolicies({ query, principal }) {
      const { policies: items, next } = await policies.list(query);
      const policiesShown = items.map((one) => shown(one, principal));
      return { items: policiesShown, ...(next === undefined ? {} : { next }) };
    },
    async getPolicy({ params, query, principal }) {
      const found = await policies.get({ name: params.policy, version: query.version });
      return shown(found ?? none(params.policy), principal);
    },
    async listPolicyVersions({ params, query: { after, limit }, principal }) {
      const from = numberIn(after);
      const items = await policies.versions(params.policy, { after: from, limit });
      if (items.length === 0 && from === 0) none(params.policy);
      const last = items.at(-1)?.version ?? from;
      const more = items.length === limit;
      const versions = items.map((one) => shown(one, principal));
      return { items: versions, ...(more ? { next: String(last) } : {}) };
    },
    async putPolicy({ params, body, principal }) {
      const { team, latest: last } = await ownerOf(policies, params.policy, principal);
      if (last === 0) await requireRoom('policy', principal, policies.ownedBy(team));
      requireVersions(principal, last);
      const { policy, note, latest, users } = body;
      if (checkPolicy(policy).ok) jobs.checkPolicy(policy, principal);
      const byAdmin = principal.scope === 'admin';
      const by = { by: principal.id, byAdmin, team };
      const answer = await policies.write(params.policy, { policy, note, latest, users, ...by });
      if (answer.kind === 'written') return shown(answer.version, principal);
      const stands =
        answer.version === undefined ? 'there is no such policy' : `version ${answer.version.version} is`;
      throw new WebfarerError('conflict', `${params.policy} is not at version ${latest}: ${stands}`, {
        next: 'Read the policy again and repeat the change.',
      });
    },
    async deletePolicy({ params, principal }) {
      await ownerOf(policies, params.policy, principal);
      if (!(await policies.remove(params.policy))) none(params.policy);
      return undefined;
    },
  };
}

/** Its own team and admins may write a policy, or another one under the name of one that was removed. */
async function ownerOf(
  policies: Policies,
  name: string,
  { scope, team }: Principal,
): Promise<{ team: string; latest: number }> {
  const owner = (await policies.owner(name)) ?? { team, latest: 0 };
  if (scope === 'admin' || owner.team === team) return owner;
  throw new WebfarerError('forbidden', `the policy ${name} belongs to the team ${owner.team}`, {
    next: 'Copy it under another name.',
  });
}

/** Whole for those who may write it; everyone else sees the names of request headers, but not their values. */
function shown({ policy, ...rest }: PolicyVersion, { scope, team }: Principal) {
  const mayWrite = scope === 'admin' || (scopeCovers(scope, 'operator') && rest.team === team);
  return { ...rest, policy: mayWrite ? (policy as Record<string, unknown>) : shownJob(policy) };
}

function numberIn(cursor: string): number {
  if (cursor === '') return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new WebfarerError('usage', 'the list cursor is not one that the API gave out', {
    next: 'List from the beginning.',
  });
}

function none(name: string): never {
  throw new WebfarerError('not-found', `there is no policy ${JSON.stringify(name)}, or not in this version`, {
    next: 'GET /v1/policies lists the policies there are.',
  });
}
