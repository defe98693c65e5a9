import type { PageRecord } from '@webfarer/protocol';
import { domainsOf, hostOf, originOf, pathOf, surt } from '@webfarer/protocol/url';
import type { Table, TableColumn } from './column.ts';
import { threeLetterCode } from './language-codes.ts';

/** A record, and what is worked out of its host once. */
interface Capture {
  record: PageRecord;
  host: string;
  scheme: string;
  port: number | undefined;
  parts: string[];
  domains: ReturnType<typeof domainsOf>;
  query: string | undefined;
  path: string;
  file: string | undefined;
  offset: number | undefined;
  length: number | undefined;
}

/**
 * The URL index with the columns of Common Crawl's (cc-index-table, flat schema), so that queries written for one run
 * on the other. Captures only: what never answered is in the table of pages. `warc_record_id` is not recorded here;
 * `warc_filename` is below the crawl's folder, and absent where no archive was kept.
 */
export function urlIndex(crawl: string, records: AsyncIterable<PageRecord>): Table<Capture> {
  return {
    name: 'index',
    columns: [...hostColumns, ...urlColumns, ...captureColumns(crawl)],
    rows: captures(records),
  };
}

async function* captures(records: AsyncIterable<PageRecord>): AsyncGenerator<Capture> {
  for await (const record of records) {
    if (record.status === undefined) continue;
    const host = hostOf(record.url);
    const [path = '', ...query] = pathOf(record.url).split('?');
    const saved = record.saved?.find(({ saver }) => saver === 'warc');
    const origin = originOf(record.url);
    const port = origin.slice(origin.indexOf('://') + 3 + host.length + 1);
    yield {
      record,
      host,
      scheme: origin.slice(0, origin.indexOf(':')),
      port: port === '' ? undefined : Number(port),
      // An address has no parts.
      parts: isAddress(host) ? [] : host.split('.').reverse(),
      domains: domainsOf(host),
      path,
      query: query.length === 0 ? undefined : query.join('?'),
      file: saved?.file,
      offset: saved?.offset,
      length: saved?.length,
    };
  }
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^[\d.]+$/.test(host);
}

const text = (name: string, value: TableColumn<Capture>['value']): TableColumn<Capture> => ({
  name,
  type: 'string',
  value,
});
const always = (column: TableColumn<Capture>): TableColumn<Capture> => ({ ...column, required: true });

const hostColumns: TableColumn<Capture>[] = [
  always(text('url_surtkey', ({ record }) => surt(record.url))),
  always(text('url', ({ record }) => record.url)),
  always(text('url_host_name', ({ host }) => host)),
  text('url_host_tld', ({ parts }) => parts[0]),
  text('url_host_2nd_last_part', ({ parts }) => parts[1]),
  text('url_host_3rd_last_part', ({ parts }) => parts[2]),
  text('url_host_4th_last_part', ({ parts }) => parts[3]),
  text('url_host_5th_last_part', ({ parts }) => parts[4]),
  text('url_host_registry_suffix', ({ domains }) => domains.registrySuffix),
  text('url_host_registered_domain', ({ domains }) => domains.registeredDomain),
  text('url_host_private_suffix', ({ domains }) => domains.privateSuffix),
  text('url_host_private_domain', ({ domains }) => domains.privateDomain),
  text('url_host_name_reversed', ({ parts }) => (parts.length === 0 ? undefined : parts.join('.'))),
];

const urlColumns: TableColumn<Capture>[] = [
  always(text('url_protocol', ({ scheme }) => scheme)),
  { name: 'url_port', type: 'int32', value: ({ port }) => port },
  always(text('url_path', ({ path }) => path)),
  text('url_query', ({ query }) => query),
];

function captureColumns(crawl: string): TableColumn<Capture>[] {
  return [
    {
      name: 'fetch_time',
      type: 'timestamp',
      required: true,
      value: ({ record }) => Math.round(record.startedAtMs),
    },
    { name: 'fetch_status', type: 'int16', required: true, value: ({ record }) => record.status },
    text('fetch_redirect', ({ record }) => record.redirectTo),
    text('content_digest', ({ record }) => record.digest?.replace(/^sha1:/, '')),
    text('content_mime_type', ({ record }) => record.mime),
    text('content_mime_detected', ({ record }) => record.mimeDetected ?? record.mime),
    text('content_charset', ({ record }) => record.charset?.toUpperCase()),
    text('content_languages', ({ record }) => threeLetterCode(record.language)),
    text('content_truncated', ({ record }) => record.truncated),
    text('warc_filename', ({ file }) => file),
    // Wider than there, where files are of one gigabyte: these may be of any size. Queries are the same.
    { name: 'warc_record_offset', type: 'int64', value: ({ offset }) => offset },
    { name: 'warc_record_length', type: 'int64', value: ({ length }) => length },
    text('warc_segment', ({ record }) => record.saved?.find(({ saver }) => saver === 'warc')?.member),
    always(text('crawl', () => crawl)),
    always(text('subset', ({ record }) => (record.status === 200 ? 'warc' : 'crawldiagnostics'))),
  ];
}
