import { Button, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Loupe } from '../parts/icons.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { dataText } from '../text/data-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { exportName, ExportRows } from '../urls/export-menu.tsx';
import { openUrlList } from '../urls/url-list.ts';
import { CopyLine } from './copy-line.tsx';
import { dataSearchIn } from './data-search.ts';
import { createItemColumns } from './item-columns.ts';
import { exportItems, itemFetcher, type ItemRow } from './item-log.ts';
import { ItemTable } from './item-table.tsx';

/** What scrapers returned, as a table whose columns are the fields of the items. */
export function Items({ crawl }: { crawl: string }) {
  const { items: words } = useTextOf(dataText);
  const { count } = useFormats();
  const { client } = useConnected();
  const navigate = useNavigate();
  const { q = '' } = dataSearchIn({ ...useSearch({ from: '/crawls/$crawl/data' }) });
  const [typed, setTyped] = useState(q);
  const [{ round, atMs }, setRound] = useState(() => ({ round: 0, atMs: Date.now() }));
  const { list, columns } = useMemo(() => {
    const found = createItemColumns();
    const fetchPage = itemFetcher({ client, crawl, q, columns: found });
    return { list: openUrlList<ItemRow>({ fetchPage }), columns: found, round };
  }, [client, crawl, q, round]);
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  const { count: found, searched, isWhole } = useSyncExternalStore(list.subscribe, list.state);

  // What is typed is looked for when the typing rests.
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => {
      const text = typed.trim();
      void navigate({
        to: '/crawls/$crawl/data',
        params: { crawl },
        search: text === '' ? {} : { q: text },
        replace: true,
        resetScroll: false,
      });
    }, 300);
    return () => clearTimeout(timer);
  }, [typed, q, crawl, navigate]);

  if (isWhole && searched === 0) return <NoItems />;
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
          <ExportRows
            name={exportName(crawl, 'items')}
            run={(options) => exportItems({ client, crawl, q }, options)}
          />
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
        </EmptyState>
      ) : (
        <ItemTable key={JSON.stringify([q, round])} crawl={crawl} list={list} columns={columns} />
      )}
    </>
  );
}

/** Teaches how a crawl comes to have items. */
function NoItems() {
  const { items: words } = useTextOf(dataText);
  return (
    <EmptyState title={words.empty}>
      <p>{words.emptyLead}</p>
      <CopyLine text={words.emptyCommand} />
      <p className="soft">{words.emptyMore}</p>
    </EmptyState>
  );
}
