import { schemaAt } from '@webfarer/protocol/job';

/** One thing that is not as it was. Without `from` it is new, without `to` it is gone. */
export interface Difference {
  /** As a person writes it: `limits.pages`. */
  path: string;
  from?: unknown;
  to?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** They say whose job it is, not what it does. */
const apart = new Set(['name', '$schema', 'team']);
/** What is not set has no value, where nothing is usual. */
const absent = undefined;

/** What one job does otherwise than another, as both were written. What is usual and was not written counts as written. */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  compare(fieldsOf(before), fieldsOf(after), [], found);
  return found;
}

function compare(before: Fields, after: Fields, path: readonly string[], found: Difference[]): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (path.length === 0 && apart.has(key)) continue;
    const here = [...path, key];
    const usual = usualAt(here);
    const [a, b] = [before[key] ?? usual, after[key] ?? usual];
    if (isFields(a ?? b) && isFields(b ?? a)) compare(fieldsOf(a), fieldsOf(b), here, found);
    else if (Array.isArray(a) && Array.isArray(b)) compareLists(a, b, here, found);
    else if (JSON.stringify(a) !== JSON.stringify(b)) found.push(differenceOf(here.join('.'), a, b));
  }
}

/** The entries that came and went; a list in another order is another list. */
function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  path: readonly string[],
  found: Difference[],
): void {
  const text = path.join('.');
  const [before, after] = [a, b].map((list) => new Map(list.map((item) => [JSON.stringify(item), item])));
  const gone = [...(before ?? [])].filter(([key]) => after?.has(key) !== true);
  const come = [...(after ?? [])].filter(([key]) => before?.has(key) !== true);
  found.push(
    ...gone.map(([, from]) => ({ path: text, from })),
    ...come.map(([, to]) => ({ path: text, to })),
  );
  if (gone.length + come.length === 0 && JSON.stringify(a) !== JSON.stringify(b))
    found.push({ path: text, from: a, to: b });
}

const differenceOf = (path: string, from: unknown, to: unknown): Difference => ({
  path,
  ...(from === absent ? {} : { from }),
  ...(to === absent ? {} : { to }),
});

function usualAt(path: readonly string[]): unknown {
  const key = path.at(-1) ?? '';
  const nodes = schemaAt(path.slice(0, -1)).map(({ properties }) => properties?.[key]);
  return nodes.find((node) => node?.default !== undefined)?.default;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
