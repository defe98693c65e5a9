import { Link } from '@tanstack/react-router';
import { TabRow } from '../parts/tab-row.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { type Figures, type UrlsSearch, urlStates } from '../api/url-search.ts';

interface TabsProps {
  crawl: string;
  search: UrlsSearch;
  figures: Figures | undefined;
}

/** What became of the URLs, with counts that add up to all of them. They are links: each has its address. */
export function Tabs({ crawl, search, figures }: TabsProps) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const tabs = [undefined, ...urlStates];
  return (
    <TabRow label={words.tabsLabel} current={search.state ?? 'all'}>
      {tabs.map((state) => {
        const { state: _, reason: __, ...more } = search;
        const to = { ...more, ...(state ? { state } : {}) };
        const n = figures?.balance[state ?? 'known'];
        return (
          <Link
            key={state ?? 'all'}
            to="/crawls/$crawl/urls"
            params={{ crawl }}
            search={to}
            className="tab"
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={search.state === state ? 'page' : undefined}
          >
            {state ? <i className={state} aria-hidden="true" /> : null}
            {words.tabs[state ?? 'all']}
            <b>{n === undefined ? '' : count(n)}</b>
          </Link>
        );
      })}
    </TabRow>
  );
}
