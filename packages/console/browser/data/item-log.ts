import type { Client } from '../api/client.ts';
import type { Exported, ExportOptions } from '../urls/export-urls.ts';
import { exportRows } from '../urls/export-urls.ts';
import type { ListAnswer } from '../urls/url-list.ts';
import { createItemColumns, fieldOf, type ItemColumns, itemHas, plainValue } from './item-columns.ts';

export interface ItemRow {
  /** The page that it came from. */
  url: string;
  item: unknown;
}

export interface ItemLogOptions {
  client: Pick<Client, 'readItems'>;
  crawl: string;
  /** Only items in which this text stands. */
  q: string;
  /** Told of every item that is found. */
  columns: ItemColumns;
  /** Pages whose items come in one answer. */
  limit?: number;
}

/** A line of the log; all lines but the last are items. */
type LogLine = ({ kind: 'item' } & ItemRow) | { kind: 'bookmark'; token: string; more: boolean };

type ItemAnswer = ListAnswer<ItemRow>;

/** The items of a crawl, as the log of its results has them, page by page. The text is looked for in the browser. */
export function itemFetcher({ client, crawl, q, columns, limit = 200 }: ItemLogOptions) {
  return async (after: string, signal: AbortSignal): Promise<ItemAnswer> => {
    const query = { limit, ...(after === '' ? {} : { after }) };
    const items: ItemRow[] = [];
    let [searched, next]: [number, string | undefined] = [0, undefined];
    for await (const each of await client.readItems({ params: { crawl }, query, signal })) {
      const line = each as LogLine;
      if (line.kind === 'bookmark') {
        next = line.more ? line.token : undefined;
        continue;
      }
      searched++;
      const row = { url: line.url, item: line.item };
      if (q !== '' && !itemHas(row, q)) continue;
      columns.add(row.item, row.url);
      items.push(row);
    }
    return { items, next, searched };
  };
}

/** A file of all items that match. CSV needs the names of its columns first, so that all items are read twice. */
export async function exportItems(
  { client, crawl, q }: Pick<ItemLogOptions, 'client' | 'crawl' | 'q'>,
  options: Omit<ExportOptions<ItemRow>, 'fetchPage'>,
): Promise<Exported> {
  const columns = createItemColumns();
  const fetchPage = itemFetcher({ client, crawl, q, columns, limit: 1_000 });
  if (options.format === 'csv') {
    const looked = await exportRows({ ...options, fetchPage, write: () => undefined }, nothing);
    if (looked.cut === 'canceled' || looked.cut === 'error') return looked;
  }
  const names = columns.names();
  const known = new Set(names);
  return await exportRows(
    { ...options, fetchPage },
    {
      head: ['page', ...names, rest],
      cells: ({ url, item }) => [
        url,
        ...names.map((name) => cellOf(fieldOf(item, name))),
        restOf(item, known),
      ],
    },
  );
}

const nothing = { head: [], cells: () => [] };
/** What came only after the names were read, or is more than a table can have. */
const rest = 'other fields';

function restOf(item: unknown, known: ReadonlySet<string>): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return '';
  const others = Object.entries(item).filter(([name]) => !known.has(name));
  return others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others));
}

const cellOf = (value: unknown): string | number => (typeof value === 'number' ? value : plainValue(value));
