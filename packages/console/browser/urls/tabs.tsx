import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useFormats, useText } from '../text/use-text.tsx';
import { type Figures, type UrlsSearch, urlStates } from './url-search.ts';

interface TabsProps {
  crawl: string;
  search: UrlsSearch;
  figures: Figures | undefined;
}

/** What became of the URLs, with counts that add up to all of them. They are links: each has its address. */
export function Tabs({ crawl, search, figures }: TabsProps) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const bar = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen.
  useEffect(() => {
    const [all, chosen] = [bar.current, bar.current?.querySelector<HTMLElement>('[aria-current]')];
    if (all && chosen) all.scrollLeft = chosen.offsetLeft - all.clientWidth / 2 + chosen.clientWidth / 2;
  }, [search.state]);
  const tabs = [undefined, ...urlStates];
  return (
    <nav ref={bar} className="tabs" aria-label={words.tabsLabel}>
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
    </nav>
  );
}
