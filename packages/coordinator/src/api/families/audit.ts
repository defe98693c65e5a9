import type { auditRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

export function auditHandlers({ registry }: ApiParts): HandlersOf<typeof auditRoutes> {
  return {
    async listAudit({ query }) {
      const { entries, next, dropped } = await registry.notes(query);
      return { items: entries, ...(next === undefined ? {} : { next }), dropped };
    },
  };
}
