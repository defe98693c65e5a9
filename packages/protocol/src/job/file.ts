import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Job } from './job.ts';
import type { JobProblem } from './problems.ts';
import { checkJob, jobError, showPath } from './resolve.ts';
import type { JobInput } from './schema.ts';

/** Larger files are refused unread: a job is a page or two. */
const maxFileLength = 1_000_000;
/** More would scroll the first one away. */
const maxShown = 20;
/** Of several thousand problems, those that are looked up in the file. */
const maxLocated = 200;
/** Each is looked up from the start of the file. */
const maxAliases = 500;
/** What is shown of a line. */
const maxWidth = 200;
/** What is said of one problem: it may name a field as it was written. */
const maxText = 1_000;

/** A problem with its place in the file; line and column count from 1. */
export interface JobPlace {
  line: number;
  column: number;
  width: number;
  text: string;
  problem: JobProblem;
}

/** What is done with the values of a job file before they are checked: files that it names become part of the job. */
export type PrepareJob = (written: unknown) => { input: unknown; problems: JobProblem[] };

type Checked<T> = { ok: true; value: T } | { ok: false; problems: JobProblem[] };

/** What a text says. `written`: its values, also where they are not valid; undefined where it cannot be read at all. */
export type ReadText<T> =
  | { ok: true; written: unknown; value: T }
  | { ok: false; written: unknown; places: JobPlace[]; text: string };

/**
 * Reads a job file, YAML or JSON. Throws `job-invalid` (or `contact-missing`) with one block per problem:
 * file, line and column, what is wrong, the line itself and a caret under the place.
 */
export function parseJobFile(
  text: string,
  name: string,
  prepare: PrepareJob = (input) => ({ input, problems: [] }),
): { input: JobInput; job: Job } {
  const read = readText(text, (written) => {
    const { input, problems } = prepare(written);
    const checked = problems.length > 0 ? { ok: false as const, problems } : checkJob(input);
    return checked.ok ? { ok: true, value: { input: input as JobInput, job: checked.job } } : checked;
  });
  if (read.ok) return read.value;
  throw fileError(read.places, { text: read.text, name });
}

/** Reads a text as a job file is read, and finds every problem of a check at its place. */
export function readText<T>(text: string, check: (written: unknown) => Checked<T>): ReadText<T> {
  if (text.length > maxFileLength) return wholeFile('the file is too long for a job file', '');
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: false };
  const document = parseDocument(text, options);
  const faults = [...document.errors, ...repeatedKeys(document)];
  const syntax = faults.slice(0, maxLocated).map((error): JobPlace => {
    const { line, col } = lines.linePos(error.pos[0]);
    const said = (error.message.split('\n')[0] ?? '').replace(/[.:]$/, '');
    const message = /stack/i.test(said) ? 'the values are nested too deeply' : said;
    const problem = { path: [], message };
    return { line, column: col, width: 1, text: message, problem };
  });
  if (syntax.length > 0) return { ok: false, written: undefined, places: syntax, text };
  const written = aliasesIn(document) > maxAliases ? undefined : valuesOf(document);
  if (written === undefined) return wholeFile('its aliases expand to too much', text);
  if (written === null) return wholeFile('the file is empty; a job needs at least seeds', text);
  const checked = check(written);
  if (checked.ok) return { ok: true, written, value: checked.value };
  const located = checked.problems.slice(0, maxLocated);
  const places = located.map((problem) => locate(problem, document.contents, lines));
  return { ok: false, written, places, text: withoutHeaderValues(text, document) };
}

/** Values of request headers may be keys, and errors end up in logs. Each character has one in its place. */
function withoutHeaderValues(text: string, document: Document.Parsed): string {
  const headers = document.getIn(['fetch', 'headers'], true);
  if (!isMap(headers)) return text;
  return headers.items.reduce((shown, { value }) => {
    const [start, end] = isNode(value) ? (value.range ?? [0, 0]) : [0, 0];
    return shown.slice(0, start) + shown.slice(start, end).replace(/[^\r\n]/g, '*') + shown.slice(end);
  }, text);
}

/** The parser compares each key of a map with every other: a file of many keys would take it minutes. */
function repeatedKeys(document: Document.Parsed): { pos: [number, number]; message: string }[] {
  const found: { pos: [number, number]; message: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value))
          found.push({ pos: [key.range?.[0] ?? 0, 0], message: 'Map keys must be unique' });
        keys.add(key.value);
      }
    },
  });
  return found;
}

function aliasesIn(document: Document.Parsed): number {
  let count = 0;
  visit(document, {
    Alias() {
      return ++count > maxAliases ? visit.BREAK : undefined;
    },
  });
  return count;
}

/** One value as a job file writes it: `5000`, `2s`, `[a, b]`. What is no YAML is the text itself. */
export function parseValue(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false, strict: true });
  return document.errors.length > 0 ? text : valuesOf(document);
}

/** Plain values; undefined when aliases within aliases would grow without bounds. */
function valuesOf(document: Document.Parsed): unknown {
  try {
    return (document.toJS({ maxAliasCount: 100 }) as unknown) ?? null;
  } catch {
    return undefined;
  }
}

function wholeFile(message: string, text: string): ReadText<never> {
  const place = { line: 1, column: 1, width: 1, text: message, problem: { path: [], message } };
  return { ok: false, written: undefined, places: [place], text };
}

/** The node at the problem's path, or the deepest one above it that exists. */
function locate(problem: JobProblem, contents: Node | null, lines: LineCounter): JobPlace {
  let node: unknown = contents;
  let found: Node | undefined = contents ?? undefined;
  let depth = 0;
  for (const step of problem.path) {
    const last = depth === problem.path.length - 1;
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      next = last && problem.atKey ? pair?.key : (pair?.value ?? pair?.key);
    } else if (isSeq(node) && typeof step === 'number') next = node.items[step];
    if (next === undefined || next === null) break;
    node = next;
    found = next as Node;
    depth++;
  }
  const [start, end] = found?.range ?? [0, 0];
  const { line, col } = lines.linePos(start);
  const missing = problem.path.slice(depth);
  const where = depth === 0 || !problem.atKey ? showPath(problem.path) : showPath(problem.path.slice(0, -1));
  const text = where === '' ? problem.message : `${where}: ${problem.message}`;
  const width = missing.length === 0 && isScalar(found) ? Math.max(1, end - start) : 1;
  return { line, column: col, width, text, problem };
}

function fileError(located: JobPlace[], file: { text: string; name: string }) {
  const sourceLines = file.text.split(/\r\n|\r|\n/);
  const blocks = located
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, maxShown)
    .map((place) => block(place, file.name, sourceLines[place.line - 1] ?? ''));
  const more = located.length - blocks.length;
  if (more > 0) blocks.push(`… and ${more} more`);
  return jobError(
    located.map((place) => place.problem),
    blocks.join('\n'),
  );
}

function block(place: JobPlace, name: string, source: string): string {
  const number = String(place.line);
  const gutter = ' '.repeat(number.length);
  // Of a long line the part around the place.
  const from = Math.max(0, Math.min(place.column - 1 - maxWidth / 2, source.length - maxWidth));
  const shown = source.slice(from, from + maxWidth);
  const column = place.column - 1 - from;
  // Tabs stay tabs in front of the caret, so it stands below its place at any tab width.
  const indent = shown.slice(0, column).replace(/[^\t]/g, ' ');
  const width = Math.max(1, Math.min(place.width, shown.length - column));
  return [
    `${name}:${place.line}:${place.column}: ${place.text.slice(0, maxText)}`,
    `  ${number} | ${shown}`,
    `  ${gutter} | ${indent}${'^'.repeat(width)}`,
  ].join('\n');
}
