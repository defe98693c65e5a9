import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { type HomeFilter, homeFilters } from '../app/router.tsx';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { Loupe, Stop } from '../parts/icons.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { CrawlGrid } from './crawl-grid.tsx';
import { NetworkStrip } from './network-strip.tsx';
import { NewCrawl } from './new-crawl.tsx';
import { useIsStopping } from './use-stopping.ts';
import { type ListedCrawl, useCrawlList } from './use-crawl-list.ts';

const StopAll = lazy(async () => ({ default: (await import('./stop-all.tsx')).StopAll }));

export function Home() {
  const text = useText();
  const { count } = useFormats();
  const navigate = useNavigate();
  const { q = '', show = 'all' } = useSearch({ from: '/' });
  const wanted = useDeferredValue(q);
  const { client } = useConnected();
  const { data: about } = useQuery({ queryKey: ['version'], queryFn: () => client.getVersion() });
  const { crawls, open, all, isWhole, problem } = useCrawlList(show);
  const mayOperate = useMayOperate();
  const [isAsking, setAsking] = useState(false);
  const isStopping = useIsStopping();
  const shown = crawls.filter(({ name, tags }) => fits(wanted, name, tags));
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
            {isWhole ? countWords(shown.length, all, text.home, count) : text.loading}
          </span>
          {mayOperate && open.length > 0 ? (
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
            <StopAll open={open} isAsking={isAsking} close={() => setAsking(false)} />
          </Suspense>
        ) : null}
        {shown.length > 0 ? <CrawlGrid crawls={shown} /> : null}
        {isWhole && all === 0 ? (
          <EmptyState title={text.home.empty}>
            <p>{text.home.emptyLead}</p>
          </EmptyState>
        ) : null}
        {isWhole && all > 0 && shown.length === 0 ? (
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

function fits(wanted: string, name: ListedCrawl['name'], tags: readonly string[]): boolean {
  const needle = wanted.trim().toLowerCase();
  return needle === '' || [name, ...tags].some((text) => text.toLowerCase().includes(needle));
}

function countWords(
  shown: number,
  all: number,
  words: ReturnType<typeof useText>['home'],
  count: (n: number) => string,
): string {
  if (shown < all) return words.shown(count(shown), count(all));
  return all === 1 ? words.one : words.count(count(all));
}
