import type { JsonLdNode } from '../../packages/worker/src/facts/json-ld.ts';
import type { MicrodataItem, MicrodataValue } from '../../packages/worker/src/facts/microdata.ts';

/** What was found on a page; JSON-LD by script. */
export interface Found {
  jsonLd: (readonly JsonLdNode[])[];
  microdata: readonly MicrodataItem[];
  openGraph: Readonly<Record<string, readonly string[]>>;
}

type Attempt<T> = { found: T } | { error: string };
type JudgedValue = string | JudgedItem;
interface JudgedItem {
  type?: string | string[];
  properties?: Record<string, JudgedValue | JudgedValue[]>;
  isProperty: boolean;
}
/** What the judge found. */
export interface Judged {
  jsonLd: Attempt<unknown[]>[];
  openGraph: Attempt<{ properties: [string, string][] }[]>;
  outsideHead: [string, string][];
  named: [string, string][];
  microdata: Attempt<JudgedItem[]>;
}

/** Where readers and judge differ for a reason. Everything else is unexplained. */
export const explained = {
  'broken script': 'JSON with faults that extruct does not repair; ours is repaired or left out',
  'meta outside the head': 'extruct reads the metas of the head, which libxml2 ends early on some pages',
  'name for property':
    'many pages write name="og:…", which sites that show previews accept; extruct does not',
  'item without an owner':
    'a property outside of any item is in no list of the HTML standard; extruct lists it',
  'no URL': 'where src or href is missing the standard says an empty text; extruct says the URL of the page',
  'time without datetime': 'the standard says its text; extruct says an empty text',
} as const;

export interface Difference {
  page: string;
  why: keyof typeof explained | undefined;
  ours: string;
  theirs: string;
}

/** Every difference on one page. `base`: what relative URLs of the page are relative to. */
export function differences(page: string, ours: Found, theirs: Judged, base: string): Difference[] {
  const found: Difference[] = [];
  const note = (why: Difference['why'], a: unknown, b: unknown) =>
    found.push({ page, why, ours: canonical(a), theirs: canonical(b) });
  compareScripts(ours.jsonLd, theirs.jsonLd, note);
  compareProperties(ours.openGraph, theirs, note);
  if ('error' in theirs.microdata) note(undefined, ours.microdata, theirs.microdata);
  else {
    const [owned, free] = [false, true].map((is) =>
      (theirs.microdata as { found: JudgedItem[] }).found.filter(({ isProperty }) => isProperty === is),
    );
    for (const item of free ?? []) note('item without an owner', null, item);
    compareLists(ours.microdata, owned ?? [], { note, base });
  }
  return found;
}

type Note = (why: Difference['why'], ours: unknown, theirs: unknown) => void;

function compareScripts(ours: Found['jsonLd'], theirs: Judged['jsonLd'], note: Note): void {
  if (ours.length !== theirs.length) return note(undefined, ours, theirs);
  for (const [at, attempt] of theirs.entries()) {
    if ('error' in attempt) note('broken script', ours[at], attempt.error);
    else if (canonical(ours[at]) !== canonical(opened(attempt.found)))
      note(undefined, ours[at], attempt.found);
  }
}

/** Lists and graphs opened, as ours are. */
function opened(values: readonly unknown[]): unknown[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return opened(value);
    if (typeof value !== 'object' || value === null) return [];
    const { '@graph': graph, ...rest } = value as Record<string, unknown>;
    if (graph === undefined) return [value];
    const isNode = Object.keys(rest).some((key) => key !== '@context' && key !== '@id');
    return [...(isNode ? [rest] : []), ...opened([graph])];
  });
}

function compareProperties(ours: Found['openGraph'], judged: Judged, note: Note): void {
  const theirs = new Map<string, string[]>();
  for (const { properties } of 'found' in judged.openGraph ? judged.openGraph.found : [])
    for (const [name, value] of properties) theirs.set(name, [...(theirs.get(name) ?? []), value]);
  const isAmong = (all: [string, string][], name: string, value: string) =>
    all.some(([each, content]) => each.trim() === name && content === value);
  for (const name of new Set([...Object.keys(ours), ...theirs.keys()])) {
    const left = [...(theirs.get(name) ?? [])];
    for (const value of ours[name] ?? []) {
      if (left[0] === value) left.shift();
      else if (isAmong(judged.outsideHead, name, value)) note('meta outside the head', [name, value], null);
      else if (isAmong(judged.named, name, value)) note('name for property', [name, value], null);
      else note(undefined, [name, value], left);
    }
    if (left.length > 0) note(undefined, [name, ours[name]], left);
  }
}

interface How {
  note: Note;
  base: string;
}

function compareLists(ours: readonly MicrodataValue[], theirs: readonly JudgedValue[], how: How): void {
  if (ours.length !== theirs.length) return how.note(undefined, ours, theirs);
  for (const [at, value] of ours.entries()) compareValues(value, theirs[at] ?? '', how);
}

function compareValues(ours: MicrodataValue, theirs: JudgedValue, how: How): void {
  const { note, base } = how;
  if (typeof ours === 'string' || typeof theirs === 'string') {
    if (typeof ours !== 'string' || typeof theirs !== 'string') return note(undefined, ours, theirs);
    if (spelt(ours) === spelt(theirs)) return;
    if (ours === '' && spelt(theirs) === spelt(base)) return note('no URL', ours, theirs);
    return note(theirs === '' ? 'time without datetime' : undefined, ours, theirs);
  }
  if (canonical(ours.type) !== canonical([theirs.type ?? []].flat())) note(undefined, ours.type, theirs.type);
  const properties = theirs.properties ?? {};
  for (const name of new Set([...Object.keys(ours.properties), ...Object.keys(properties)]))
    compareLists(ours.properties[name] ?? [], [properties[name] ?? []].flat(), how);
}

/** White space is folded in different ways, and URLs are written as WHATWG or as Python writes them. */
function spelt(text: string): string {
  const squashed = text.replaceAll(/\s+/g, '');
  return URL.parse(squashed)?.href ?? squashed;
}

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
