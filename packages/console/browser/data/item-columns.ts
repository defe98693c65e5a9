/** Fields that items can have a column for; the others stand together in one. */
const mostColumns = 200;
/** Of an item that is no object. */
export const wholeItem = 'value';

/** Rules of a job put the URL of the page into it. */
const pageField = 'url';

/** The fields of the items that were seen, in the order in which they first came. */
export interface ItemColumns {
  /** Of the page at this URL. */
  add(item: unknown, url: string): void;
  names(): readonly string[];
  /** Without the URL of the page, where that is what all items name so. */
  shownNames(): readonly string[];
  /** There were more than a table can have. */
  isCut(): boolean;
}

export function createItemColumns(most = mostColumns): ItemColumns {
  let names: readonly string[] = [];
  const known = new Set<string>();
  let isCut = false;
  let namesOther = false;
  return {
    add(item, url) {
      if (isObject(item) && Object.hasOwn(item, pageField) && item[pageField] !== url) namesOther = true;
      for (const name of fieldsOf(item)) {
        if (known.has(name)) continue;
        if (known.size >= most) isCut = true;
        else {
          known.add(name);
          names = [...names, name];
        }
      }
    },
    names: () => names,
    shownNames: () => (namesOther || names.length === 1 ? names : names.filter((name) => name !== pageField)),
    isCut: () => isCut,
  };
}

/** Own fields alone: what a site names `constructor` is a name like any other. */
export function fieldsOf(item: unknown): string[] {
  return isObject(item) ? Object.keys(item) : [wholeItem];
}

export function fieldOf(item: unknown, name: string): unknown {
  if (!isObject(item)) return name === wholeItem ? item : undefined;
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

const isObject = (item: unknown): item is Record<string, unknown> =>
  typeof item === 'object' && item !== null && !Array.isArray(item);

const mostShown = 300;

/** A value on one line of a table: what is nested or long is cut, the whole item is a click away. */
export function shortValue(value: unknown): string {
  const text = plainValue(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

/** A value as one cell of a file. */
export function plainValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a text stands anywhere in an item, its names included. */
export function itemHas(row: { url: string; item: unknown }, text: string): boolean {
  const wanted = text.toLowerCase();
  return row.url.toLowerCase().includes(wanted) || hasText(row.item, wanted);
}

function hasText(value: unknown, wanted: string): boolean {
  if (typeof value !== 'object' || value === null) return plainValue(value).toLowerCase().includes(wanted);
  return Object.entries(value).some(
    ([name, inner]) =>
      (!Array.isArray(value) && name.toLowerCase().includes(wanted)) || hasText(inner, wanted),
  );
}
