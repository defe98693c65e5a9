import { checkJob, type UrlPattern } from '@webfarer/protocol/job';
import { showPattern } from '@webfarer/protocol/url';
import { type ScopeDraft, type ScopeField, scopeFields } from './draft-in-address.ts';

type Fields = Record<string, unknown>;

/** Where each field stands in a job. */
const places: Readonly<Record<ScopeField, 'scope' | 'limits'>> = {
  stay: 'scope',
  include: 'scope',
  exclude: 'scope',
  requisites: 'scope',
  depth: 'limits',
  cost: 'limits',
};

/** As it holds for a crawl, with the defaults where its job says nothing. Undefined: the job cannot be read. */
export function draftOf(job: Fields): ScopeDraft | undefined {
  const checked = checkJob(job);
  if (!checked.ok) return undefined;
  const { scope, limits } = checked.job;
  return {
    stay: scope.stay,
    include: scope.include.map(showPattern).join('\n'),
    exclude: scope.exclude.map(showPattern).join('\n'),
    requisites: scope.requisites,
    depth: limits.depth ?? '',
    cost: limits.cost ?? '',
  };
}

/** What to change in the job so that it has the scope of a draft, as a merge patch. Empty: nothing is different. */
export function scopeChanges(job: Fields, before: ScopeDraft, after: ScopeDraft): Fields {
  const changed: Record<'scope' | 'limits', Fields> = { scope: {}, limits: {} };
  for (const field of scopeFields) {
    const value = valueOf(job, field, after);
    if (JSON.stringify(value) !== JSON.stringify(valueOf(job, field, before)))
      changed[places[field]][field] = value;
  }
  return Object.fromEntries(Object.entries(changed).filter(([, fields]) => Object.keys(fields).length > 0));
}

function valueOf(job: Fields, field: ScopeField, draft: ScopeDraft): unknown {
  if (field === 'include' || field === 'exclude')
    return linesIn(draft[field]).map(({ text }) => patternOf(text, writtenIn(job)));
  const value = draft[field];
  return value === '' ? 'none' : value;
}

/** Lines that hold a pattern, with their numbers as a person counts them. */
function linesIn(text: string): { text: string; line: number }[] {
  return text
    .split('\n')
    .map((each, at) => ({ text: each.trim(), line: at + 1 }))
    .filter(({ text: pattern }) => pattern !== '');
}

/** What the job has already stays as it is written there, whatever its line looks like. */
function writtenIn(job: Fields): Map<string, UrlPattern> {
  const checked = checkJob(job);
  const patterns = checked.ok ? [...checked.job.scope.include, ...checked.job.scope.exclude] : [];
  return new Map(patterns.map((pattern) => [showPattern(pattern).trim(), pattern]));
}

/** `regex …` is a regular expression, in the words in which patterns are shown everywhere; anything else a glob. */
function patternOf(text: string, written: ReadonlyMap<string, UrlPattern>): UrlPattern {
  const known = written.get(text);
  if (known !== undefined) return known;
  const [, regex, flags] = /^regex\s+(.*?)(,\s*flags i)?$/.exec(text) ?? [];
  if (regex === undefined) return text;
  return flags === undefined ? { regex } : { regex, flags: 'i' };
}

export type DraftProblems = Partial<Record<ScopeField | 'other', { line?: number; message: string }>>;

/** What is wrong with a changed job, at the field that says it: by the code that reads it at the coordinator. */
export function problemsOf(job: Fields, changes: Fields, draft: ScopeDraft): DraftProblems {
  const checked = checkJob(withChanges(job, changes));
  if (checked.ok) return {};
  const found: DraftProblems = {};
  for (const { path, message } of checked.problems) {
    const [place, name, index] = path;
    const field = scopeFields.find((each) => places[each] === place && each === name) ?? 'other';
    if (found[field]) continue;
    const isList = field === 'include' || field === 'exclude';
    const line = isList && typeof index === 'number' ? linesIn(draft[field])[index]?.line : undefined;
    found[field] = { message, ...(line === undefined ? {} : { line }) };
  }
  return found;
}

/** A job with a merge patch of its scope and limits. */
export function withChanges(job: Fields, changes: Fields): Fields {
  const merged = { ...job };
  for (const place of ['scope', 'limits'] as const) {
    const given = changes[place] as Fields | undefined;
    if (given === undefined) continue;
    const fields = Object.entries({ ...(job[place] as Fields | undefined), ...given });
    merged[place] = Object.fromEntries(fields.filter(([, value]) => value !== null));
  }
  return merged;
}

export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/**
 * The scope that held before an edit, as a draft. Undefined: the history does not keep it, because a long list is
 * told there by its length.
 */
export function draftBefore(job: Fields, edit: readonly FieldChange[]): ScopeDraft | undefined {
  const back: Record<'scope' | 'limits', Fields> = { scope: {}, limits: {} };
  for (const { field, from } of edit) {
    const [place = '', name = ''] = field.split('.');
    const known = scopeFields.find((each) => each === name && places[each] === place);
    if (known === undefined) continue;
    const isList = known === 'include' || known === 'exclude';
    if (isList && from !== undefined && !Array.isArray(from)) return undefined;
    back[places[known]][known] = from ?? null;
  }
  return draftOf(withChanges(job, back));
}

/** Fields whose value is that of the policy the crawl was created with. */
export function fieldsOfPolicy(job: Fields, policy: Fields): Set<ScopeField> {
  const at = (from: Fields, field: ScopeField) => (from[places[field]] as Fields | undefined)?.[field];
  return new Set(
    scopeFields.filter((field) => {
      const given = at(policy, field);
      return given !== undefined && JSON.stringify(given) === JSON.stringify(at(job, field));
    }),
  );
}
