import { Button } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { useCrawlFigures } from './use-crawl-figures.ts';
import { useText } from '../text/use-text.tsx';
import { Bulk } from './bulk.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters.tsx';
import { ListStatus } from './list-status.tsx';
import { ReasonChips } from './reason-chips.tsx';
import { SavedFilters } from './saved-filters-menu.tsx';
import { Tabs } from './tabs.tsx';
import { UrlTable } from './url-table.tsx';
import { type UrlsSearch, urlsSearchIn } from '../api/url-search.ts';
import { useUrlList } from './use-url-list.ts';
import '../style/urls.css';

/** Every URL that a crawl knows, what became of it and why; what failed and what was refused can be retried from here. */
export function UrlsScreen() {
  const { urls: words } = useText();
  const { crawl } = useParams({ from: '/crawls/$crawl/urls' });
  // The router hands on what it does not know.
  const search = urlsSearchIn({ ...useSearch({ from: '/crawls/$crawl/urls' }) });
  const navigate = useNavigate();
  const { state, figures } = useCrawlFigures(crawl);
  const [round, setRound] = useState(0);
  const { list, atMs } = useUrlList(crawl, search, round);
  const reload = () => setRound(round + 1);
  const choose = (next: UrlsSearch) => {
    void navigate({ to: '/crawls/$crawl/urls', params: { crawl }, search: next, replace: true });
  };

  return (
    <>
      <CrawlHead crawl={crawl} name={crawl} state={state} title={words.title}>
        <div className="actions">
          <SavedFilters search={search} choose={choose} />
          <ExportMenu crawl={crawl} search={search} />
          <Bulk crawl={crawl} search={search} figures={figures} state={state} changed={reload} />
        </div>
      </CrawlHead>
      <Tabs crawl={crawl} search={search} figures={figures} />
      <ReasonChips search={search} figures={figures} choose={choose} />
      <Filters search={search} choose={choose} />
      <div className="list-line">
        <ListStatus list={list} search={search} figures={figures} atMs={atMs} />
        <Button variant="subtle" size="compact-sm" onClick={reload}>
          {words.list.reload}
        </Button>
      </div>
      <UrlTable
        key={JSON.stringify([search, round])}
        crawl={crawl}
        list={list}
        search={search}
        errorAnswers={figures?.errorAnswers ?? 0}
        clear={() => choose(search.state ? { state: search.state } : {})}
      />
    </>
  );
}
