import type { Job } from './job.ts';
import { withoutJobSecrets } from './secrets.ts';

/** What decides which URLs belong to a crawl: a folder made with other values holds another crawl. */
const scopeFields = ['seeds', 'scope', 'urlRules', 'normalise', 'limits.depth', 'limits.cost', 'scraper'];

/** Leaf fields that differ, by path and named as a person writes them (`politeness.gap`); lists count as one. */
export function changedFields(a: Job, b: Job): string[] {
  const changed: string[] = [];
  compare(withoutJobSecrets(a), withoutJobSecrets(b), '', changed);
  return changed;
}

/** The changed fields that alter which URLs are crawled. */
export function scopeChanged(a: Job, b: Job): string[] {
  return changedFields(a, b).filter((field) =>
    scopeFields.some((scope) => field === scope || field.startsWith(`${scope}.`)),
  );
}

function compare(a: unknown, b: unknown, path: string, changed: string[]): void {
  if (isFields(a) && isFields(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      compare(a[key], b[key], path === '' ? key : `${path}.${key}`, changed);
    }
  } else if (JSON.stringify(a) !== JSON.stringify(b)) changed.push(path.replace(/(Ms|Bytes)$/, ''));
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
