import { leavesOf } from '@webfarer/protocol/job';
import {
  type FieldRule,
  fieldRules,
  harmlessChanges,
} from '../../packages/coordinator/src/admission/field-rules.ts';
import type { Fragment } from './bodies.ts';
import type { Entrance } from './entrances.ts';
import { type Answer, type Role, teamOfRole } from './world.ts';

/** What must become of a request. `decided`: the coordinator decides, whoever asks; `hidden`: as if there were no crawl. */
export type Verdict = 'allowed' | 'refused' | 'decided' | 'hidden';

/** Fields of files, which are never part of what a coordinator is sent. */
const neverSent = new Set(['steps[].recording']);

/** By the table of the product, the same for all entrances. */
export function verdictOf(role: Role, entrance: Entrance, fragment: Fragment): Verdict {
  if (role === 'viewer') return 'refused';
  const isChange = entrance.name.startsWith('edit') || entrance.name === 'preview';
  if (role === 'other' && isChange) return 'hidden';
  const leaves = leavesOf(fragment);
  const rules = leaves.map((leaf) => ({ leaf, rule: fieldRules[leaf.path] ?? ('nobody' as FieldRule) }));
  if (leaves.some(({ path }) => neverSent.has(path))) return 'decided';
  if (rules.some(({ rule }) => rule === 'nobody')) return 'decided';
  const { team } = fragment as { team?: string };
  // A schedule belongs to the team of its writer, and so do its crawls.
  const isScheduled = ['dry run', 'schedule', 'recrawl'].includes(entrance.name);
  if (team !== undefined && team !== teamOfRole[role] && isScheduled) return 'decided';
  // Every coordinator can start a run, and each has its own disk.
  if (isScheduled && leaves.some(({ path }) => path === 'seeds[].file'))
    return role === 'admin' ? 'decided' : 'refused';
  if (role === 'admin') return 'allowed';
  if (team !== undefined && (isChange || team !== teamOfRole[role])) return 'refused';
  if (entrance.name.startsWith('edit of')) {
    // It names the same policy already.
    const isHarmless = leaves.every(({ path }) => harmlessChanges.has(path) || /^policy\b/.test(path));
    if (!isHarmless) return 'refused';
  }
  const isAllowed = rules.every(
    ({ leaf, rule }) =>
      rule === 'operator' || rule === 'secret' || (typeof rule === 'function' && rule(leaf)),
  );
  return isAllowed ? 'allowed' : 'refused';
}

/** What is wrong with an answer; undefined: it is as it must be. */
export function faultIn(
  verdict: Verdict,
  { status, code }: Answer,
  { isWhole }: Entrance,
): string | undefined {
  const told = `answered ${status}${code === undefined ? '' : ` (${code})`}`;
  const isDone = status >= 200 && status < 300;
  if (status >= 500 || status === 0) return told;
  if (verdict === 'hidden') return status === 404 ? undefined : `${told}, not as if there were none`;
  if (verdict === 'decided') return isDone ? `${told}, though the coordinator decides it` : undefined;
  if (verdict === 'refused') {
    // What does not fit the job that it would change is refused before anyone asks who may.
    if (status === 403 || (!isWhole && status >= 400)) return undefined;
    return `${told}, not 403`;
  }
  if (status === 403) return `${told}, though it is allowed`;
  return isWhole && !isDone ? `${told}, though it is valid and allowed` : undefined;
}
