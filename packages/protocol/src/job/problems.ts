import type { z } from 'zod';
import { closest } from './closest.ts';
import { fieldsAt, pathsOf } from './fields.ts';

/** One thing that is wrong with a job, in words for the person who wrote it. */
export interface JobProblem {
  path: (string | number)[];
  message: string;
  /** The trouble is the name of the field, not its value. */
  atKey?: boolean;
  code?: 'contact-missing';
  missing?: boolean;
  /** With an unknown field: the path of the field it was probably meant to be. */
  meant?: string;
}

type Issue = z.core.$ZodIssue;
type Path = (string | number)[];

/** With this many, what was sent is no job, and nobody reads further. */
const mostProblems = 100;

export function problemsOf(error: z.ZodError, input: unknown): JobProblem[] {
  const found = error.issues.slice(0, mostProblems).flatMap((issue) => explain(issue, [], input));
  const more = error.issues.length - mostProblems;
  if (more > 0) found.push({ path: [], message: `and ${more} more problems` });
  return withoutEcho(found);
}

function explain(issue: Issue, base: Path, input: unknown): JobProblem[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownFields(path, issue.keys);
    case 'invalid_union':
      return explainUnion(issue, path, input);
    case 'invalid_value':
      return [{ path, message: oneOf(issue.values.map(String), valueAt(input, path)) }];
    case 'invalid_type': {
      const value = valueAt(input, path);
      return [{ path, message: wrongType(issue.expected, value), missing: value === undefined }];
    }
    case 'too_small':
      return [{ path, message: hasOwnText(issue) ? issue.message : tooSmall(issue.origin, issue.minimum) }];
    case 'too_big':
      return [{ path, message: tooBig(issue.origin, issue.maximum) }];
    case 'invalid_key':
      return [{ path, atKey: true, message: issue.issues.map((inner) => inner.message).join('; ') }];
    default:
      return [{ path, message: issue.message }];
  }
}

/** zod's own texts begin with these words; ours do not. */
function hasOwnText(issue: Issue): boolean {
  return !/^(?:Too|Invalid) /.test(issue.message);
}

type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** The branch the person meant is the one that fails inside, not at its outermost shape. */
function explainUnion(issue: UnionIssue, path: Path, input: unknown): JobProblem[] {
  const errors = issue.errors as Issue[][];
  const shape = errors.filter((branch) => !branch.some(isWrongType));
  const meant = shape.filter((branch) => !branch.some(isWrongKey));
  const branch = meant.length === 1 ? meant[0] : shape.length === 1 ? shape[0] : undefined;
  if (branch !== undefined) return withoutEcho(branch.flatMap((inner) => explain(inner, path, input)));
  const value = valueAt(input, path);
  if (value === undefined) return [{ path, message: `is missing: ${issue.message}` }];
  const word = wordOf(value);
  const near = word.length < 2 ? undefined : closest(word, [...wordsIn(errors), ...fieldsAt(path)]);
  return [
    { path, message: near === undefined ? issue.message : `${issue.message}; did you mean "${near}"?` },
  ];
}

/** The word that chose the branch: the text itself, or the only field of an object. */
function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return keys.length === 1 ? (keys[0] ?? '') : '';
}

function wordsIn(errors: Issue[][]): string[] {
  return errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values.map(String) : []));
}

function isWrongType(issue: Issue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_union')
    return (issue.errors as Issue[][]).every((branch) => branch.some(isWrongType));
  if (issue.code === 'invalid_format') return !hasOwnText(issue);
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function isWrongKey(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code === 'unrecognized_keys';
}

/** A misspelt field is also a missing one: the misspelling is enough to say. */
function withoutEcho(problems: JobProblem[]): JobProblem[] {
  const meant = new Set(problems.map((problem) => problem.meant));
  return problems.filter((problem) => !problem.missing || !meant.has(problem.path.join('.')));
}

function unknownFields(path: Path, keys: readonly string[]): JobProblem[] {
  const found = keys.slice(0, mostProblems).map((key) => unknownField(path, key));
  const more = keys.length - found.length;
  return more > 0 ? [...found, { path, message: `and ${more} more unknown fields` }] : found;
}

function unknownField(path: Path, key: string): JobProblem {
  const near = closest(key, fieldsAt(path));
  const elsewhere = near === undefined ? pathsOf(key) : [];
  const hint =
    near !== undefined
      ? `; did you mean "${near}"?`
      : elsewhere.length > 0
        ? `; did you mean ${elsewhere.slice(0, 3).join(' or ')}?`
        : '';
  return {
    path: [...path, key],
    atKey: true,
    message: `unknown field ${show(key)}${hint}`,
    ...(near === undefined ? {} : { meant: [...path, near].join('.') }),
  };
}

function oneOf(values: string[], value: unknown): string {
  if (value === undefined) return `is missing: one of ${values.join(', ')}`;
  const near = typeof value === 'string' ? closest(value, values) : undefined;
  const expected = values.length === 1 ? `expected ${values[0]}` : `expected one of ${values.join(', ')}`;
  return near === undefined ? `${expected}, not ${show(value)}` : `${expected}; did you mean "${near}"?`;
}

const typeNames: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields',
  record: 'names with values',
};

function wrongType(expected: string, value: unknown): string {
  if (value === undefined) return 'is missing';
  return `expected ${typeNames[expected] ?? expected}, not ${show(value)}`;
}

function tooSmall(origin: string, minimum: number | bigint): string {
  if (origin === 'string') return 'must not be empty';
  if (origin === 'array') return `needs at least ${minimum} ${minimum === 1 ? 'entry' : 'entries'}`;
  return `must be at least ${minimum}`;
}

function tooBig(origin: string, maximum: number | bigint): string {
  return origin === 'string' ? `must not be longer than ${maximum} characters` : `must be at most ${maximum}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined,
    input,
  );
}
