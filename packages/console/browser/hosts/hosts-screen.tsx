import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { WebfarerError } from '@webfarer/protocol';
import { hostPattern } from '@webfarer/protocol/url';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useStatus } from '../api/status.ts';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { Loupe } from '../parts/icons.tsx';
import { EmptyState, Failure, Problem } from '../parts/notices.tsx';
import { useCrawlDetail } from '../parts/use-crawl-detail.ts';
import { hostsText } from '../text/hosts-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { HeatView } from './heat-view.tsx';
import { HostDialog } from './host-dialog.tsx';
import { type HostSort, hostRows, sortsDown } from './host-rows.ts';
import { HostTable } from './host-table.tsx';
import { type DoneWish, type HostWish, matchOf } from './host-wish.ts';
import type { HostsSearch } from './hosts-search.ts';
import { RuleList } from './rule-list.tsx';
import { useHostRule } from './use-host-rule.ts';
import '../style/crawl.css';
import '../style/hosts.css';

const [fewHosts, manyHosts] = [200, 1_000];
/** On a store, every look asks all its groups. */
const againMs = 5_000;

/** The hosts of a crawl that are due next: what each waits for, and how to slow or block one. */
export function HostsScreen() {
  const text = useText();
  const { hosts: words } = text;
  const more = useTextOf(hostsText);
  const { count } = useFormats();
  const { client } = useConnected();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { crawl } = useParams({ from: '/crawls/$crawl/hosts' });
  const search = useSearch({ from: '/crawls/$crawl/hosts' });
  const { q = '', sort = 'due', down = false, all = false, view, range = 'all' } = search;
  const status = useStatus(crawl);
  const detail = useCrawlDetail(crawl, { state: status?.state });
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  const isOpen = state === 'running' || state === 'paused';
  const limit = all ? manyHosts : fewHosts;
  const asked = useQuery({
    queryKey: ['hosts', crawl, limit],
    enabled: isOpen,
    refetchInterval: againMs,
    queryFn: async () => (await client.listCrawlHosts({ params: { crawl }, query: { limit } })).items,
    placeholderData: (before) => before,
    retry: false,
  });
  const [asking, setAsking] = useState<{ host: string; kind: HostWish['kind'] }>();
  const rule = useHostRule();

  const show = (next: { [Name in keyof HostsSearch]?: HostsSearch[Name] | undefined }): void => {
    const changed = { ...search, ...next };
    const kept = Object.entries(changed).filter(
      ([, value]) => value !== '' && value !== false && value !== undefined,
    );
    void navigate({
      to: '/crawls/$crawl/hosts',
      params: { crawl },
      search: Object.fromEntries(kept) as HostsSearch,
      replace: true,
      resetScroll: false,
    });
  };
  const sortBy = (by: HostSort): void =>
    show({ sort: by, down: by === sort ? !down : sortsDown.includes(by) });

  const countWords = (shown: number, known: number): string => {
    if (shown < known) return words.shown(count(shown), count(known));
    return known === 1 ? words.one : words.count(count(known));
  };

  if (asked.error && !(asked.error instanceof WebfarerError))
    return <Failure error={asked.error} again={() => void asked.refetch()} />;
  const hosts = isOpen ? (asked.data ?? []) : [];
  const rows = hostRows(hosts, { q, sort, down });
  const named = hostPattern(q.trim().toLowerCase());
  const isElsewhere =
    named !== undefined && named.includes('.') && !rows.some(({ host }) => matchOf(host) === named);
  return (
    <>
      <CrawlHead crawl={crawl} name={detail?.name ?? crawl} state={state} title={words.title} />
      <div className="host-head">
        <SegmentedControl
          className="seg"
          size="sm"
          aria-label={more.views.label}
          value={view ?? 'list'}
          onChange={(value) => show({ view: value === 'map' ? 'map' : undefined, range: undefined })}
          data={(['list', 'map'] as const).map((value) => ({ value, label: more.views[value] }))}
        />
        <p className="soft" role="status">
          {asked.data && !view
            ? countWords(rows.length, Math.max(hosts.length, status?.hostsQueued ?? 0))
            : ''}
        </p>
        <TextInput
          id="search"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<Loupe />}
          value={q}
          onChange={(event) => show({ q: event.currentTarget.value })}
        />
      </div>
      {rule.done ? <DoneNotice rule={rule} done={rule.done} /> : null}
      {rule.undo.error ? <Problem error={rule.undo.error} /> : null}
      {asked.error ? <Problem error={asked.error} /> : null}
      {view === 'map' && state !== undefined ? (
        <HeatView
          crawl={crawl}
          isRunning={state === 'running'}
          hosts={hosts}
          view={{ q, sort, down }}
          range={range}
          show={show}
        />
      ) : null}
      {rows.length > 0 && !view ? (
        <HostTable
          crawl={crawl}
          rows={rows}
          view={{ q, sort, down }}
          sortBy={sortBy}
          ask={(host, kind) => setAsking({ host, kind })}
        />
      ) : null}
      {asked.data && rows.length === 0 && !view ? (
        <EmptyState title={q === '' ? words.none : words.noMatch}>
          <p>{q === '' ? words.noneLead : words.noMatchLead}</p>
        </EmptyState>
      ) : null}
      {state !== undefined && !isOpen && !view ? (
        <EmptyState title={words.over[state === 'stopped' || state === 'failed' ? state : 'over']}>
          <p>{`${words.overLead} ${more.overLead}`}</p>
        </EmptyState>
      ) : null}
      {isElsewhere && mayOperate && !view ? (
        <p className="host-elsewhere">
          <bdi>{words.elsewhere(named)}</bdi>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setAsking({ host: named, kind: 'slow' })}
          >
            {words.slow}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setAsking({ host: named, kind: 'block' })}
          >
            {words.block}
          </Button>
        </p>
      ) : null}
      {hosts.length === fewHosts && !all && !view ? (
        <Button variant="default" onClick={() => show({ all: true })}>
          {words.more(count(manyHosts))}
        </Button>
      ) : null}
      {view ? null : <RuleList />}
      {asking ? (
        <HostDialog
          key={`${asking.kind} ${asking.host}`}
          {...asking}
          close={() => setAsking(undefined)}
          decide={(wish) =>
            rule.set.mutate({ host: asking.host, wish }, { onSuccess: () => setAsking(undefined) })
          }
          isPending={rule.set.isPending}
          error={rule.set.error}
        />
      ) : null}
    </>
  );
}

/** What was just done, and the way back. */
function DoneNotice({ rule, done }: { rule: ReturnType<typeof useHostRule>; done: DoneWish }) {
  const { hosts: words } = useText();
  const { span } = useFormats();
  const match = matchOf(done.host);
  const whose = words.whose[rule.whose];
  return (
    <p className="panel host-done" role="status">
      <bdi>
        {done.wish.kind === 'slow'
          ? words.slowed(match, span(done.wish.gapMs), whose)
          : words.blocked(match, whose)}
      </bdi>
      <Button
        size="compact-sm"
        variant="default"
        loading={rule.undo.isPending}
        onClick={() => rule.undo.mutate(done)}
      >
        {words.undo}
      </Button>
    </p>
  );
}
