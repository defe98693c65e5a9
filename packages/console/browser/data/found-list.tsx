import { Button, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Loupe } from '../parts/icons.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { useFormats } from '../text/use-text.tsx';
import { exportName, ExportRows } from '../urls/export-menu.tsx';
import type { Exported, ExportOptions } from '../urls/export-urls.ts';
import { openUrlList, type UrlList, type UrlListOptions } from '../urls/url-list.ts';
import { type DataView, dataSearchIn } from './data-search.ts';

interface FoundWords {
  find: string;
  findHint: string;
  found(count: string): string;
  soFar(count: string): string;
  lookedAt(count: string): string;
  asOf: string;
  reload: string;
  none: string;
  noneLead(searched: string): string;
  clear: string;
}

interface FoundListProps<Row, More> {
  crawl: string;
  view: DataView;
  words: FoundWords;
  /** Begins to read what a text is found in; the same function for the same crawl. */
  open(q: string): { options: UrlListOptions<Row>; more: More };
  exported(q: string, options: Omit<ExportOptions, 'fetchPage'>): Promise<Exported>;
  /** Shown where the crawl has none at all. */
  nothing(list: UrlList<Row>): ReactNode;
  /** Where else one can look for what matches nothing here. */
  elsewhere: ReactNode;
  table(list: UrlList<Row>, more: More): ReactNode;
}

/** A log of the crawl that is read as one scrolls, with a search that stands in the address. */
export function FoundList<Row, More>(props: FoundListProps<Row, More>) {
  const { crawl, view, words, open, exported, nothing, elsewhere, table } = props;
  const { count } = useFormats();
  const navigate = useNavigate();
  const { q = '' } = dataSearchIn({ ...useSearch({ from: '/crawls/$crawl/data' }) });
  const [typed, setTyped] = useState(q);
  const [{ round, atMs }, setRound] = useState(() => ({ round: 0, atMs: Date.now() }));
  const { list, more } = useMemo(() => {
    const opened = open(q);
    return { list: openUrlList(opened.options), more: opened.more, round };
  }, [open, q, round]);
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  const { count: found, searched, isWhole, halt } = useSyncExternalStore(list.subscribe, list.state);

  // What is typed is looked for when the typing rests.
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => {
      const text = typed.trim();
      void navigate({
        to: '/crawls/$crawl/data',
        params: { crawl },
        search: dataSearchIn({ view, ...(text === '' ? {} : { q: text }) }),
        replace: true,
        resetScroll: false,
      });
    }, 300);
    return () => clearTimeout(timer);
  }, [typed, q, crawl, view, navigate]);

  if (searched === 0 && (isWhole || halt === 'nothing')) return nothing(list);
  return (
    <>
      <div className="data-tools">
        <TextInput
          className="data-find"
          type="search"
          label={words.find}
          placeholder={words.findHint}
          leftSection={<Loupe />}
          value={typed}
          data-find
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className="actions">
          <ExportRows name={exportName(crawl, view)} run={(options) => exported(q, options)} />
        </div>
      </div>
      <div className="list-line">
        <p className="soft" role="status">
          <b>{isWhole ? words.found(count(found)) : words.soFar(count(found))}</b>
          {q === '' ? '' : ` · ${words.lookedAt(count(searched))}`}
          {' · '}
          {words.asOf} <When atMs={atMs} clock />
        </p>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setRound({ round: round + 1, atMs: Date.now() })}
        >
          {words.reload}
        </Button>
      </div>
      {isWhole && found === 0 ? (
        <EmptyState title={words.none}>
          <p>{words.noneLead(count(searched))}</p>
          <Button variant="default" onClick={() => setTyped('')}>
            {words.clear}
          </Button>
          {elsewhere}
        </EmptyState>
      ) : (
        <div key={JSON.stringify([q, round])}>{table(list, more)}</div>
      )}
    </>
  );
}
