import {
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { schemaAt } from './fields.ts';

type Fields = Record<string, unknown>;
type Parsed = Document.Parsed;

const parsing = { prettyErrors: false, strict: true, uniqueKeys: false } as const;
/** As people write them: long lines stay one line, `[a, b]`. */
const writing = { lineWidth: 0, flowCollectionPadding: false } as const;

/** A value as a job file writes it. */
export function writtenAs(value: unknown): string {
  return new Document(value).toString(writing);
}

/**
 * The text of a job with another value of one field; undefined removes it, and what would then be empty around it.
 * Nothing else changes: comments, order and layout outside the top-level field stay as they are. The text must be YAML.
 */
export function withField(text: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(text, parsing);
  const before = fieldsOf(document);
  const after = valueWith(before, path, value);
  if (same(before, after)) return text;
  const edit = { path, value, after };
  const says = (candidate: string | undefined): Parsed | undefined => {
    if (candidate === undefined) return undefined;
    const made = parseDocument(candidate, parsing);
    return made.errors.length === 0 && same(fieldsOf(made), after) ? made : undefined;
  };
  // From the least change to the largest, each only where it comes out right.
  const small = inPlace(text, document, edit);
  if (small !== undefined && says(small)) return small;
  const larger = inSection(text, edit);
  const made = says(larger);
  // What is taken out of the text takes its own comment along.
  const mayLose = value === undefined || Array.isArray(value);
  if (larger !== undefined && made && (mayLose || commentsOf(made) === commentsOf(document))) return larger;
  return inDocument(text, edit);
}

interface Edit {
  path: readonly string[];
  value: unknown;
  after: Fields;
}

/** One plain value in the place of another. */
function inPlace(text: string, document: Parsed, { path, value }: Edit): string | undefined {
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const node: unknown = document.getIn(path, true);
  if (!isScalar(node) || !node.range || node.anchor !== undefined) return undefined;
  const [start, end] = node.range;
  const written = writtenAs(value).trimEnd();
  if (end === start || written.includes('\n')) return undefined;
  return text.slice(0, start) + written + text.slice(end);
}

/** The lines of one top-level field, written anew; its comments are part of it. */
function inSection(text: string, edit: Edit): string | undefined {
  const { path, after } = edit;
  const key = path[0] ?? '';
  const document = parseDocument(text, parsing);
  if (document.contents !== null && (!isMap(document.contents) || document.contents.flow)) return undefined;
  const pairs = isMap(document.contents) ? (document.contents.items as Pair<Node, Node | null>[]) : [];
  const at = pairs.findIndex((pair) => nameOf(pair) === key);
  const pair = pairs[at];
  if (!pair) return withSection(text, pairs, { key, section: writtenAs({ [key]: after[key] }) });
  const [start, end] = sectionOf(text, pair);
  if (after[key] === undefined) return text.slice(0, start) + text.slice(end);
  if (!change(document, edit)) return undefined;
  const map = new YAMLMap();
  const changed = isMap(document.contents) ? document.contents.items[at] : undefined;
  if (!changed) return undefined;
  // What stands before the field stays where it is.
  Object.assign(changed.key as Node, { commentBefore: undefined, spaceBefore: false });
  map.items = [changed];
  const part = new Document();
  part.contents = map as Node as typeof part.contents;
  const rest = text.slice(end);
  const section = part.toString(writing);
  return text.slice(0, start) + (rest === '' && !text.endsWith('\n') ? section.trimEnd() : section) + rest;
}

/** A new top-level field, behind those that come before it in the schema. */
function withSection(
  text: string,
  pairs: readonly Pair<Node, Node | null>[],
  { key, section }: { key: string; section: string },
): string {
  const order = Object.keys(schemaAt([])[0]?.properties ?? {});
  const place = order.indexOf(key);
  const earlier = pairs.findLast((pair) => {
    const there = order.indexOf(nameOf(pair));
    return there >= 0 && there < place;
  });
  const [first] = pairs;
  const at = earlier ? sectionOf(text, earlier)[1] : first ? sectionOf(text, first)[0] : text.length;
  const before = text.slice(0, at);
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${section}${text.slice(at)}`;
}

/** From its name to the end of its last line. */
function sectionOf(text: string, { key, value }: Pair<Node, Node | null>): [number, number] {
  const start = key.range?.[0] ?? 0;
  const last = Math.max(start, (isNode(value) ? value.range?.[2] : undefined) ?? key.range?.[1] ?? 0);
  if (text[last - 1] === '\n') return [start, last];
  const line = text.indexOf('\n', last);
  return [start, line < 0 ? text.length : line + 1];
}

function inDocument(text: string, edit: Edit): string {
  const document = parseDocument(text, parsing);
  if (!change(document, edit))
    document.contents = document.createNode(edit.after) as typeof document.contents;
  return document.toString(writing);
}

/** False: the place is behind an alias, and cannot be changed by itself. */
function change(document: Parsed, { path, value, after }: Edit): boolean {
  try {
    if (value !== undefined) {
      const emptied = path.findIndex((_, n) => n > 0 && isEmpty(document.getIn(path.slice(0, n), true)));
      if (emptied > 0) document.setIn(path.slice(0, emptied), document.createNode({}));
      const list: unknown = document.getIn(path, true);
      if (isSeq(list) && Array.isArray(value) && value.length > 0) changeList(document, list, value);
      else document.setIn(path, document.createNode(value));
    } else {
      const gone = path.findIndex((_, n) => valueAt(after, path.slice(0, n + 1)) === undefined);
      document.deleteIn(path.slice(0, gone + 1));
    }
  } catch {
    return false;
  }
  return same(fieldsOf(document), after);
}

/** Entries that stay keep their comments. */
function changeList(document: Parsed, list: YAMLSeq, value: readonly unknown[]): void {
  const left = list.items.map((node) => ({
    node,
    value: isNode(node) ? (node.toJS(document) as unknown) : node,
  }));
  list.items = value.map((item) => {
    const at = left.findIndex((each) => same(each.value, item));
    return at < 0 ? document.createNode(item) : left.splice(at, 1)[0]?.node;
  });
}

const isEmpty = (node: unknown): boolean => isScalar(node) && node.value === null;

function fieldsOf(document: Parsed): Fields {
  const fields: unknown = document.toJS({ maxAliasCount: 100 });
  return isFields(fields) ? fields : {};
}

function nameOf({ key }: Pair<Node, Node | null>): string {
  return isScalar(key) ? String(key.value) : '';
}

/** How many there are. */
function commentsOf(document: Parsed): number {
  return document.toString(writing).match(/(?:^|\s)#.*$/gm)?.length ?? 0;
}

function valueWith(fields: Fields, path: readonly string[], value: unknown): Fields {
  const [key = '', ...below] = path;
  const inner = fields[key];
  const next =
    below.length === 0 ? value : emptyAsNone(valueWith(isFields(inner) ? inner : {}, below, value), value);
  const { [key]: _before, ...others } = fields;
  if (next === undefined) return others;
  return key in fields
    ? Object.fromEntries(Object.entries(fields).map(([name, was]) => [name, name === key ? next : was]))
    : { ...fields, [key]: next };
}

const emptyAsNone = (fields: Fields, value: unknown): Fields | undefined =>
  value === undefined && Object.keys(fields).length === 0 ? undefined : fields;

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), value);
}

/** Whatever the order of the fields. */
function same(a: unknown, b: unknown): boolean {
  if (isFields(a) && isFields(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, n) => same(item, b[n]));
  return Object.is(a, b);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
