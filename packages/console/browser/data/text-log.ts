import type { PageRecord } from '@webfarer/protocol';
import type { Client } from '../api/client.ts';
import { quoted } from '../url/explain-command.ts';
import { type Exported, exportRows, type ExportOptions } from '../urls/export-urls.ts';
import type { ListAnswer } from '../urls/url-list.ts';

type Saved = NonNullable<PageRecord['saved']>[number];

/** A text that a crawl saved of a page. */
export interface TextRow {
  url: string;
  title: string;
  /** As the page declares it; empty: it does not. */
  language: string;
  bytes: number | undefined;
  fetchedAtMs: number;
  saved: Saved;
}

export interface TextLogOptions {
  client: Pick<Client, 'readResults'>;
  crawl: string;
  /** Only texts in whose title, address or language this stands. */
  q: string;
  /** Pages that are looked at for one answer. */
  limit?: number;
}

/** A line of the log; all lines but the last are outcomes. */
type LogLine = { kind: 'record'; record: PageRecord } | { kind: 'bookmark'; token: string; more: boolean };

/** The texts of a crawl, as the log of its results names them. They are looked for in the browser. */
export function textFetcher({ client, crawl, q, limit = 500 }: TextLogOptions) {
  const wanted = q.toLowerCase();
  return async (after: string, signal: AbortSignal): Promise<ListAnswer<TextRow>> => {
    const query = { limit, verdict: 'done' as const, ...(after === '' ? {} : { after }) };
    const items: TextRow[] = [];
    let [searched, next]: [number, string | undefined] = [0, undefined];
    for await (const each of await client.readResults({ params: { crawl }, query, signal })) {
      const line = each as unknown as LogLine;
      if (line.kind === 'bookmark') {
        next = line.more ? line.token : undefined;
        continue;
      }
      const row = textIn(line.record);
      if (row === undefined) continue;
      searched++;
      if (textHas(row, wanted)) items.push(row);
    }
    return { items, next, searched };
  };
}

/** Undefined: no text of the page was saved. */
function textIn({ url, title = '', language = '', startedAtMs, saved }: PageRecord): TextRow | undefined {
  const one = saved?.find(({ saver }) => saver === 'markdown');
  return one && { url, title, language, bytes: one.length, fetchedAtMs: startedAtMs, saved: one };
}

const textHas = ({ title, url, language }: TextRow, wanted: string): boolean =>
  [title, url, language].some((text) => text.toLowerCase().includes(wanted));

/** A file that lists the texts: not what they say. */
export function exportTexts(
  about: Pick<TextLogOptions, 'client' | 'crawl' | 'q'>,
  options: Omit<ExportOptions, 'fetchPage'>,
): Promise<Exported> {
  return exportRows<TextRow>(
    { ...options, fetchPage: textFetcher({ ...about, limit: 1_000 }) },
    {
      head: ['url', 'title', 'language', 'bytes', 'fetchedAt', 'file', 'offset'],
      cells: ({ url, title, language, bytes, fetchedAtMs, saved }) => [
        url,
        title,
        language,
        bytes,
        new Date(fetchedAtMs).toISOString(),
        saved.file,
        saved.offset,
      ],
    },
  );
}

/** What a text is called when it is downloaded: a name that every system takes. */
export function textFileName({ url, saved }: Pick<TextRow, 'url' | 'saved'>): string {
  // A line of many has no name of its own.
  const isOwn = saved.offset === undefined;
  const name = isOwn ? (saved.file.split('/').at(-1) ?? '') : `${url.replace(/^https?:\/\//, '')}.md`;
  const plain = name.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '');
  return plain === '' ? 'text.md' : plain.slice(-100);
}

/** Downloads every text with a token. It needs curl and jq; the token stays out of it, because commands are pasted into chats. */
export function allTextsCommand(origin: string, crawl: string): string {
  // What encodeURIComponent leaves can end neither the quotes nor the command, but for the apostrophe.
  const at = `${origin}/v1/crawls/${encodeURIComponent(crawl).replaceAll("'", '%27')}/files`;
  return [
    `at='${at}' after=markdown/`,
    'ask() { curl -fsS -H "authorization: Bearer $WEBFARER_TOKEN" "$@"; }',
    'while [ -n "$after" ]; do',
    '  page=$(ask -G "$at" -d limit=1000 --data-urlencode "after=$after") || break',
    `  printf %s "$page" | jq -r '.items[].path | select(startswith("markdown/"))' | while read -r path; do`,
    '    ask --create-dirs -o "$path" "$at/$(printf %s "$path" | jq -sRr @uri)"',
    '  done',
    `  after=$(printf %s "$page" | jq -r '.next // empty')`,
    'done',
  ].join('\n');
}

/** Looks for the same words in the texts themselves. */
export function searchCommand(q: string): string {
  const words = q.trim() === '' ? ['opening', 'hours'] : q.trim().split(/\s+/);
  return ['webfarer search FOLDER', ...words.map(quoted)].join(' ');
}
