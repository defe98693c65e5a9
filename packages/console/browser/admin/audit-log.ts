import type { AdminSearch } from './admin-search.ts';

/** What the coordinator is asked for. Days are those of the reader, and `to` is included. */
export function auditQuery({ who = '', action = '', what = '', from, to }: AdminSearch) {
  return {
    who,
    action,
    what,
    ...(from === undefined ? {} : { fromMs: startOfDay(from, 0) }),
    ...(to === undefined ? {} : { toMs: startOfDay(to, 1) }),
  };
}

/** What a change says about itself, without what its path or its order says already. */
export function detailWords({ what, detail }: { what: string; detail: string }): string {
  let told: unknown;
  try {
    told = JSON.parse(detail);
  } catch {
    return detail;
  }
  if (typeof told !== 'object' || told === null) return detail;
  return Object.entries(told)
    .filter(([name, value]) => name !== 'version' && !what.includes(String(value)))
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(' · ');
}

function startOfDay(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Math.max(0, new Date(year, month - 1, date + later).getTime());
}
