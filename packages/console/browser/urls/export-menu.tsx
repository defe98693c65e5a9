import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import {
  type Exported,
  type ExportFormat,
  exportFormats,
  type ExportOptions,
  exportUrls,
} from './export-urls.ts';
import type { UrlsSearch } from '../api/url-search.ts';
import { pageFetcher } from './use-url-list.ts';

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson',
};

type Progress =
  | { is: 'working'; rows: number; searched: number; cancel: () => void }
  | { is: 'over'; name: string; exported: Exported };

export function ExportMenu({ crawl, search }: { crawl: string; search: UrlsSearch }) {
  const { client } = useConnected();
  const fetchPage = pageFetcher(client, crawl, search, 1_000);
  return (
    <ExportRows
      name={exportName(crawl, search.state ?? 'urls')}
      run={(options) => exportUrls({ ...options, fetchPage })}
    />
  );
}

/** A name that every system takes. */
export const exportName = (crawl: string, kind: string): string =>
  `${crawl.replaceAll(/[^\w.-]+/g, '_').slice(0, 80)}-${kind}`;

interface ExportRowsProps {
  /** Of the file, without its ending. */
  name: string;
  run(options: Omit<ExportOptions, 'fetchPage'>): Promise<Exported>;
}

/** A list as a file, made in the browser. Its pieces are handed over as they come, not kept as text. */
export function ExportRows({ name: base, run }: ExportRowsProps) {
  const { export: words } = useText().urls;
  const { count } = useFormats();
  const [progress, setProgress] = useState<Progress>();

  async function start(format: ExportFormat): Promise<void> {
    const abort = new AbortController();
    const cancel = () => abort.abort();
    const pieces: Blob[] = [];
    const tell = (so: { rows: number; searched: number }) => setProgress({ is: 'working', ...so, cancel });
    tell({ rows: 0, searched: 0 });
    const exported = await run({
      format,
      signal: abort.signal,
      write: (text) => void pieces.push(new Blob([text])),
      tell,
    });
    const mark = exported.cut === undefined ? '' : '-incomplete';
    const name = `${base}${mark}.${format}`;
    handOver(new Blob(pieces, { type: types[format] }), name);
    setProgress({ is: 'over', name, exported });
  }

  return (
    <>
      {progress === undefined ? null : (
        <span className="export-says" role="status">
          {progress.is === 'working'
            ? words.working(count(progress.rows), count(progress.searched))
            : (progress.exported.cut === undefined ? words.done : words.cut[progress.exported.cut])(
                count(progress.exported.rows),
                progress.name,
              )}
        </span>
      )}
      {progress?.is === 'working' ? (
        <Button variant="default" onClick={progress.cancel}>
          {words.cancel}
        </Button>
      ) : (
        <Menu position="bottom-end" withinPortal={false}>
          <Menu.Target>
            <Button variant="default">{words.open}</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {exportFormats.map((format) => (
              <Menu.Item key={format} onClick={() => void start(format)}>
                {words[format]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

/** The browser saves it where it saves what is downloaded. */
export function handOver(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Not before the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
