import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ListedCounts } from '@webfarer/protocol/api';
import { lazy, Suspense, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { Loupe, Stop } from '../parts/icons.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { CrawlGrid } from './crawl-grid.tsx';
import { type HomeFilter, homeFilters } from './home-search.ts';
import { NetworkStrip } from './network-strip.tsx';
import { NewCrawl } from './new-crawl.tsx';
import { useIsStopping } from './use-stopping.ts';
import { useCrawlList } from './use-crawl-list.ts';

const StopAll = lazy(async () => ({ default: (await import('./stop-all.tsx')).StopAll }));

export function Home() {
  const text = useText();
  const { count } = useFormats();
  const navigate = useNavigate();
  const { q = '', show = 'all' } = useSearch({ from: '/' });
  const { client } = useConnected();
  const { data: about } = useQuery({ queryKey: ['version'], queryFn: () => client.getVersion() });
  const { list, at, counts, isWhole, problem } = useCrawlList(show, q);
  const { all = 0, found = 0, byState = {} } = counts ?? {};
  const open = (byState['running'] ?? 0) + (byState['paused'] ?? 0);
  const mayOperate = useMayOperate();
  const [isAsking, setAsking] = useState(false);
  const isStopping = useIsStopping();
  const search = (next: { q?: string; show?: HomeFilter }) => {
    // Only what differs from the usual view stands in the address.
    const kept = {
      ...(next.q ? { q: next.q } : {}),
      ...(next.show && next.show !== 'all' ? { show: next.show } : {}),
    };
    void navigate({ to: '/', search: kept, replace: true });
  };

  return (
    <>
      <h1 className="unseen">{text.home.title}</h1>
      {/* A console on one machine shows one crawl, and takes no others. */}
      {about?.oneCrawl ? null : <NewCrawl />}
      <NetworkStrip />
      <section aria-labelledby="crawls">
        <div className="list-head">
          <h2 id="crawls">{text.home.title}</h2>
          <span className="soft" role="status">
            {counts ? countWords(counts, text.home, count) : text.loading}
          </span>
          {mayOperate && open > 0 ? (
            <Button
              className="stop-all"
              size="compact-md"
              variant="default"
              leftSection={<Stop />}
              onClick={() => setAsking(true)}
            >
              {text.home.stopAll}
            </Button>
          ) : null}
          <SegmentedControl
            className="seg"
            size="sm"
            aria-label={text.home.filter.label}
            value={show}
            onChange={(value) => search({ q, show: value })}
            data={homeFilters.map((filter) => ({ value: filter, label: text.home.filter[filter] }))}
          />
          <TextInput
            id="search"
            data-find
            className="search"
            type="search"
            aria-label={text.search}
            placeholder={text.search}
            leftSection={<Loupe />}
            value={q}
            onChange={(event) => search({ q: event.currentTarget.value, show })}
            onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          />
        </div>
        {problem === undefined ? null : <Problem error={problem} />}
        {isAsking || isStopping ? (
          <Suspense fallback={null}>
            <StopAll isAsking={isAsking} close={() => setAsking(false)} />
          </Suspense>
        ) : null}
        {found > 0 ? <CrawlGrid count={found} at={at} show={list.show} /> : null}
        {isWhole && all === 0 ? (
          <EmptyState title={text.home.empty}>
            <p>{text.home.emptyLead}</p>
          </EmptyState>
        ) : null}
        {isWhole && all > 0 && found === 0 ? (
          <EmptyState title={text.home.noMatch}>
            <p>{text.home.noMatchLead}</p>
            <Button variant="default" onClick={() => search({})}>
              {text.home.clear}
            </Button>
          </EmptyState>
        ) : null}
      </section>
    </>
  );
}

function countWords(
  { all, found, byState }: ListedCounts,
  words: ReturnType<typeof useText>['home'],
  count: (n: number) => string,
): string {
  if (found < all) return words.shown(count(found), count(all));
  const running = byState['running'] ?? 0;
  const many = all === 1 ? words.one : words.count(count(all));
  return running === 0 ? many : `${many}, ${words.running(count(running))}`;
}
