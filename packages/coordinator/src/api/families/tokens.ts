import { WebfarerError } from '@webfarer/protocol';
import type { tokenRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** Who may use the API, and as what. */
export function tokenHandlers({ tokens, registryWatch }: ApiParts): HandlersOf<typeof tokenRoutes> {
  /** In force here with the answer, and elsewhere within seconds. An unreachable store changes nothing about that. */
  const takeEffect = () => registryWatch.look().catch(() => undefined);

  return {
    async listTokens({ query }) {
      const { tokens: items, next } = await tokens.list(query);
      return { items, ...(next === undefined ? {} : { next }) };
    },
    async createToken({ body }) {
      const { token, info } = await tokens.create(body);
      await takeEffect();
      return { ...info, token };
    },
    getToken: async ({ params }) => (await tokens.get(params.token)) ?? none(params.token),
    async rotateToken({ params, body }) {
      const { token, info } = (await tokens.rotate(params.token, body.overlapMs)) ?? none(params.token);
      await takeEffect();
      return { ...info, token };
    },
    async revokeToken({ params }) {
      const info = (await tokens.revoke(params.token)) ?? none(params.token);
      await takeEffect();
      return info;
    },
    getOwnToken: ({ principal: { id, name, scope, team, session } }) => ({
      id,
      ...(name ? { name } : {}),
      scope,
      team,
      ...(session === undefined ? {} : { session }),
    }),
  };
}

function none(id: string): never {
  throw new WebfarerError('not-found', `there is no token ${JSON.stringify(id)}, or it was revoked`, {
    next: 'GET /v1/tokens lists the tokens there are.',
  });
}
