import type { PageRecord } from '@webfarer/protocol';

export interface FoundTables {
  tables: Record<string, { columns: [name: string, type: string, nullable: boolean][]; rows: unknown[][] }>;
  /** From the GraphML file and from the JSON file. */
  graphs: { nodes: unknown[][]; edges: unknown[][] }[];
}

/** Compares what a reader found in the tables with what the crawl holds; answers what differs. */
export function sameRows(
  reader: string,
  { tables }: FoundTables,
  held: { records: PageRecord[]; links: string[] },
): string[] {
  const answered = held.records.filter(({ status }) => status !== undefined);
  return [
    ...compare(`${reader}, pages`, picked(tables.pages, pageColumns), held.records.map(pageRow)),
    ...compare(`${reader}, index`, picked(tables.index, indexColumns), answered.map(indexRow)),
    ...compare(
      `${reader}, links`,
      picked(tables.links, ['source', 'rel', 'target']).map((row) => row.join(' ')),
      held.links,
    ),
  ];
}

const pageColumns = [
  'url',
  'verdict',
  'reason',
  'status',
  'title',
  'bytes',
  'depth',
  'links',
  'mime',
  'referrer',
];

function pageRow(r: PageRecord): string[] {
  return [r.url, r.verdict, r.reason, r.status, r.title, r.bytes, r.depth, r.links, r.mime, r.referrer].map(
    shown,
  );
}

const indexColumns = [
  'url',
  'fetch_time',
  'fetch_status',
  'fetch_redirect',
  'content_digest',
  'warc_record_offset',
];

function indexRow(r: PageRecord): string[] {
  const saved = r.saved?.find(({ saver }) => saver === 'warc');
  const digest = r.digest?.slice('sha1:'.length);
  return [r.url, Math.round(r.startedAtMs), r.status, r.redirectTo, digest, saved?.offset].map(shown);
}

function picked(table: FoundTables['tables'][string] | undefined, names: string[]): string[][] {
  const places = names.map((name) => table?.columns.findIndex(([column]) => column === name) ?? -1);
  return (table?.rows ?? []).map((row) =>
    places.map((place, i) =>
      names[i] === 'fetch_time' ? shown(msOf(String(row[place]))) : shown(row[place]),
    ),
  );
}

/** As any of the readers writes a time. */
function msOf(text: string): number {
  const iso = text.replace(' ', 'T').replace(/\+00(:00)?$/, '');
  return Date.parse(`${iso}Z`);
}

const shown = (cell: unknown): string =>
  cell === undefined || cell === null ? '' : String(cell as string | number | boolean);

function compare(what: string, found: (string | string[])[], wanted: (string | string[])[]): string[] {
  const lines = (rows: (string | string[])[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  const [a, b] = [lines(found), lines(wanted)];
  if (a.length !== b.length) return [`${what}: ${a.length} rows, wanted ${b.length}`];
  const at = a.findIndex((line, i) => line !== b[i]);
  return at < 0 ? [] : [`${what}: ${a[at]} instead of ${b[at]}`];
}
