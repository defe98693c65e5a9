import type { AuditEntry } from '../../registry/registry.ts';
import type { ApiChange } from './app.ts';

/** Of an answer, what says which document it is about. Everything else stays out: it may hold a secret. */
const names = ['id', 'name', 'version'] as const;
const mostChars = 300;

/** A change as the audit log keeps it. A creation has its id only in the answer. */
export function auditEntry({ principal, action, what, answer }: ApiChange, atMs: number): AuditEntry {
  const { id: who, team } = principal;
  const given = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  const told: Record<string, string | number> = {};
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'number') told[name] = value;
    else if (typeof value === 'string') told[name] = value.slice(0, mostChars);
  }
  const detail = JSON.stringify(told);
  return { atMs, who, team, action, what: what.slice(0, 2 * mostChars), detail };
}
