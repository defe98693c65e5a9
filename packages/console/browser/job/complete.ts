import { schemaAt, type SchemaNode, variants } from '@webfarer/protocol/job';

/** Something that may stand at the cursor. */
export interface Completion {
  label: string;
  /** What is put in the place of what was typed. */
  insert: string;
  /** From the schema, in English. */
  description: string | undefined;
  /** What holds without it. */
  usual: string | undefined;
}

export interface Completions {
  /** Where what was typed begins. */
  from: number;
  items: Completion[];
}

export interface CompleteOptions {
  /** The only fields that a text of this kind may have; undefined: all of a job. */
  fields?: readonly string[] | undefined;
  /** Names that only the coordinator knows, by the field that they may stand in. */
  known?: Readonly<Record<string, readonly string[]>> | undefined;
}

type Path = (string | number)[];
const none: Completions = { from: 0, items: [] };
const line = /^(\s*)((?:-\s+)*)(.*)$/s;
const field = /^([\w$.-]+):(?:\s|$)/;
const unfinishedField = /^([\w$]+):[ \t]+([^\s#'"[{&*|>]*)$/;

/** What may stand at a place of a text, which need not be YAML yet: the lines above tell by their indentation where it is. */
export function completionsAt(text: string, at: number, options: CompleteOptions = {}): Completions {
  const lines = text.slice(0, at).split('\n');
  const [, lead = '', dashes = '', rest = ''] = line.exec(lines.at(-1) ?? '') ?? [];
  const above = placeOf(lines.slice(0, -1), { lead, dashes });
  if (!above) return none;
  const value = unfinishedField.exec(rest);
  if (value) {
    const [, key = '', typed = ''] = value;
    return { from: at - typed.length, items: fitting(valuesAt([...above, key], options), typed) };
  }
  if (!/^[\w$]*$/.test(rest)) return none;
  const column = lead.length + dashes.length;
  const values = dashes === '' ? [] : valuesAt(above, options);
  const there = new Set([...siblingsOf(text, at, column), ...values.map(({ label }) => label)]);
  const keys = keysAt(above, { column, options }).filter(({ label }) => !there.has(label));
  return { from: at - rest.length, items: fitting([...values, ...keys], rest) };
}

/** Where the last line of a text stands in the job. Undefined: in a text of several lines, or in nothing known. */
function placeOf(lines: readonly string[], last: { lead: string; dashes: string }): Path | undefined {
  const path: Path = [];
  // A list may stand in the column of its field, and an entry beside it is not around it.
  let limit = last.lead.length + last.dashes.length;
  let listLimit = limit;
  const inLists = (lead: number, dashes: string): void => {
    const columns = [...dashes.matchAll(/-/g)].map(({ index }) => lead + index).toReversed();
    for (const column of columns) {
      if (column >= listLimit) continue;
      path.unshift(0);
      [limit, listLimit] = [column + 1, column];
    }
  };
  inLists(last.lead.length, last.dashes);
  for (let n = lines.length - 1; n >= 0 && limit > 0; n--) {
    const [, lead = '', dashes = '', rest = ''] = line.exec(lines[n] ?? '') ?? [];
    if (rest.trim() === '' || rest.startsWith('#')) continue;
    const column = lead.length + dashes.length;
    const key = field.exec(rest)?.[1];
    if (column < limit) {
      if (key === undefined) return undefined;
      path.unshift(key);
      [limit, listLimit] = [column, column];
    }
    inLists(lead.length, dashes);
  }
  return path;
}

function keysAt(
  path: Path,
  { column, options: { fields } }: { column: number; options: CompleteOptions },
): Completion[] {
  const found = new Map<string, Completion>();
  for (const node of schemaAt(path))
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      if (key === '$schema' || (path.length === 0 && fields?.includes(key) === false)) continue;
      found.set(key, {
        label: key,
        insert: key + openingOf(child, ' '.repeat(column + 2)),
        ...wordsOf(child),
      });
    }
  return [...found.values()];
}

function wordsOf(node: SchemaNode): Pick<Completion, 'description' | 'usual'> {
  const usual = node.default;
  const isPlain = usual !== undefined && (typeof usual !== 'object' || Array.isArray(usual));
  return { description: node.description, usual: isPlain ? JSON.stringify(usual) : undefined };
}

/** What follows the name of a field: a value, a list, or fields below it. */
function openingOf(node: SchemaNode, indent: string): string {
  const forms = variants(node);
  const isOnly = (has: (form: SchemaNode) => boolean) => forms.every(has);
  if (isOnly(({ items }) => items !== undefined)) return `:\n${indent}- `;
  return isOnly(({ properties }) => properties !== undefined) ? `:\n${indent}` : ': ';
}

function valuesAt(path: Path, { known = {} }: CompleteOptions): Completion[] {
  const values = schemaAt(path).flatMap((node) => {
    if (node.type === 'boolean') return [true, false];
    return node.const === undefined ? (node.enum ?? []) : [node.const];
  });
  const names = [...values.map(String), ...(known[path.join('.')] ?? [])];
  return [...new Set(names)].map((label) => ({
    label,
    insert: /^[\w./@-]+$/.test(label) ? label : JSON.stringify(label),
    description: undefined,
    usual: undefined,
  }));
}

/** What was typed in full needs no help. */
function fitting(items: readonly Completion[], typed: string): Completion[] {
  const found = items.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
  return found.length === 1 && found[0]?.label === typed && !found[0].insert.includes(':') ? [] : found;
}

/** Fields beside the cursor: none may be there twice. */
function siblingsOf(text: string, at: number, column: number): string[] {
  const lines = text.split('\n');
  const here = text.slice(0, at).split('\n').length - 1;
  const found: string[] = [];
  for (const step of [-1, 1])
    for (let n = here + step; n >= 0 && n < lines.length; n += step) {
      const [, lead = '', dashes = '', rest = ''] = line.exec(lines[n] ?? '') ?? [];
      if (rest.trim() === '' || rest.startsWith('#')) continue;
      const key = field.exec(rest)?.[1];
      const width = lead.length + dashes.length;
      if (width === column && key !== undefined) found.push(key);
      // Another entry of the list, or the end of the block.
      if (width < column || (width === column && dashes !== '')) break;
    }
  return found;
}
