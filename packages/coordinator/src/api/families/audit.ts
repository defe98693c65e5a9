import type { auditRoutes } from '@webfarer/protocol/api';
import type { AuditEntry } from '../../registry/registry.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

const lookAtOnce = 1_000;
/** For one page, so that a filter that fits nothing costs no more than others. */
const mostLooked = 5_000;

interface Filter {
  who: string;
  action: string;
  what: string;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export function auditHandlers({ registry }: ApiParts): HandlersOf<typeof auditRoutes> {
  return {
    async listAudit({ query }) {
      const { after, limit, order, ...filter } = query;
      const fits = fitsFilter(filter);
      const items: AuditEntry[] = [];
      let [looked, dropped] = [0, 0];
      let next: string | undefined = after;
      do {
        const page = await registry.notes({
          after: next,
          limit: limit - items.length,
          look: lookAtOnce,
          order,
          fits,
        });
        items.push(...page.entries);
        looked += page.looked;
        dropped += page.dropped;
        next = page.next;
      } while (next !== undefined && items.length < limit && looked < mostLooked);
      return { items, ...(next === undefined ? {} : { next }), dropped, looked };
    },
  };
}

function fitsFilter({ who, action, what, fromMs = 0, toMs = Number.POSITIVE_INFINITY }: Filter) {
  const has = (text: string, part: string) => part === '' || text.toLowerCase().includes(part.toLowerCase());
  return (entry: AuditEntry): boolean =>
    entry.atMs >= fromMs &&
    entry.atMs < toMs &&
    (has(entry.who, who) || has(entry.team, who)) &&
    has(entry.action, action) &&
    (has(entry.what, what) || has(entry.detail, what));
}
