import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ShownComparison } from '@webfarer/protocol/api';
import { type FormEvent, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { EmptyState, Failure, Problem } from '../parts/notices.tsx';
import { TabRow } from '../parts/tab-row.tsx';
import { When } from '../parts/when.tsx';
import { dataText } from '../text/data-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { CompareList } from './compare-list.tsx';
import { CopyLine } from '../parts/copy-line.tsx';
import { changeKinds, type DataSearch, dataSearchIn } from './data-search.ts';
import { useComparison } from './use-comparison.ts';

/** What is new, changed and gone since an earlier crawl: the last one of the same seeds, unless another one is chosen. */
export function Compare({ crawl }: { crawl: string }) {
  const { compare: words } = useTextOf(dataText);
  const { loading } = useText();
  const { client } = useConnected();
  const navigate = useNavigate();
  const search = dataSearchIn({ ...useSearch({ from: '/crawls/$crawl/data' }) });
  const earlier = useQuery({
    queryKey: ['earlier', crawl],
    retry: false,
    queryFn: () => client.listEarlierCrawls({ params: { crawl } }),
  });
  const choices = earlier.data?.items ?? [];
  const chosen = search.with ?? choices[0]?.id;
  const { shown, progress, error, again, lost } = useComparison(crawl, chosen);
  const show = (next: DataSearch) =>
    void navigate({
      to: '/crawls/$crawl/data',
      params: { crawl },
      search: { view: 'compare', ...next },
      replace: true,
      resetScroll: false,
    });

  if (earlier.isLoading) return <p className="soft">{loading}</p>;
  if (earlier.error) return <Failure error={earlier.error} again={() => void earlier.refetch()} />;
  if (chosen === undefined) return <NothingEarlier crawl={crawl} />;
  const isListed = choices.some(({ id, name }) => id === chosen || name === chosen);
  return (
    <>
      <div className="data-tools">
        <NativeSelect
          className="compare-with"
          label={words.with}
          value={choices.find(({ id, name }) => id === chosen || name === chosen)?.id ?? chosen}
          onChange={(event) => show({ with: event.currentTarget.value })}
        >
          {choices.map((each) => (
            <Choice key={each.id} {...each} />
          ))}
          {isListed ? null : <option value={chosen}>{chosen}</option>}
        </NativeSelect>
        <div className="actions">
          {shown && progress ? <Progress of={progress} /> : null}
          <Button variant="default" onClick={again}>
            {words.again}
          </Button>
        </div>
      </div>
      {error === undefined ? null : <Problem error={error} />}
      {error === undefined && !shown ? <Progress of={progress} /> : null}
      {shown ? (
        <Compared key={shown.id} crawl={crawl} comparison={shown} search={search} again={again} lost={lost} />
      ) : null}
    </>
  );
}

function Choice({ id, name, createdAtMs }: { id: string; name: string; createdAtMs: number }) {
  const { local } = useFormats();
  return (
    <option value={id}>
      {name} · {local(createdAtMs)}
    </option>
  );
}

function Progress({ of }: { of: ShownComparison | undefined }) {
  const { compare: words } = useTextOf(dataText);
  const { count, percent } = useFormats();
  const known = of ? of.now.known + of.before.known : 0;
  // A crawl that runs has more when it is read.
  const read = Math.min(known, of ? of.now.read + of.before.read : 0);
  return (
    <p className="soft compare-progress" role="status">
      {words.reading(count(read), count(known))}{' '}
      <progress value={read} max={Math.max(1, known)} aria-label={words.title}>
        {percent(known === 0 ? 0 : read / known)}
      </progress>
    </p>
  );
}

function NothingEarlier({ crawl }: { crawl: string }) {
  const { compare: words } = useTextOf(dataText);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    const other = typed.trim();
    if (other === '') return;
    void navigate({ to: '/crawls/$crawl/data', params: { crawl }, search: { view: 'compare', with: other } });
  }
  return (
    <EmptyState title={words.nothing}>
      <p>{words.nothingLead}</p>
      <CopyLine text={words.nothingCommand} />
      <form className="save-filter look-up" onSubmit={submit}>
        <TextInput
          label={words.other}
          value={typed}
          data-find
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit">{words.compare}</Button>
      </form>
    </EmptyState>
  );
}

interface ComparedProps {
  crawl: string;
  comparison: ShownComparison;
  search: DataSearch;
  again: () => void;
  lost: () => void;
}

function Compared({ crawl, comparison, search, again, lost }: ComparedProps) {
  const { compare: words } = useTextOf(dataText);
  const { count } = useFormats();
  const { sums, with: other, atMs, now, before } = comparison;
  if (!sums) return null;
  const { counts, pages, unclear } = sums;
  const kinds = changeKinds.filter((kind) => kind !== 'unclear' || counts.unclear > 0);
  const first = kinds.find((kind) => kind !== 'unchanged' && counts[kind] > 0) ?? 'new';
  const change = search.change ?? first;
  const most = Math.max(1, pages.now, pages.before);
  const { changed, unchanged } = counts;
  // What both have comes first, so that it stands below itself.
  const nowParts = { unchanged, changed, unclear: unclear.now + unclear.both, new: counts.new };
  const beforeParts = { unchanged, changed, unclear: unclear.before + unclear.both, gone: counts.gone };
  const chosen = search.with === undefined ? {} : { with: search.with };
  return (
    <>
      <section className="panel sheet compare-sums" aria-label={words.title}>
        <Side
          title={words.now}
          name={crawl}
          pages={pages.now}
          known={now.known}
          parts={nowParts}
          most={most}
        />
        <Side
          title={words.before}
          name={other.name}
          pages={pages.before}
          known={before.known}
          parts={beforeParts}
          most={most}
        />
        <p className="soft small">
          {words.lead} {words.asOf} <When atMs={atMs} clock />
          {now.absent + before.absent > 0 ? ` · ${words.absent(count(now.absent + before.absent))}` : ''}
        </p>
      </section>
      <TabRow label={words.kindsLabel} current={change}>
        {kinds.map((kind) => (
          <Link
            key={kind}
            to="/crawls/$crawl/data"
            params={{ crawl }}
            search={{ view: 'compare', ...chosen, change: kind }}
            replace
            resetScroll={false}
            className="tab"
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={kind === change ? 'page' : undefined}
          >
            <i className={`change ${kind}`} aria-hidden="true" />
            {words.kinds[kind]}
            <b>{count(counts[kind])}</b>
          </Link>
        ))}
      </TabRow>
      <CompareList
        key={`${comparison.id} ${change}`}
        crawl={crawl}
        comparison={comparison}
        change={change}
        total={counts[change]}
        again={again}
        lost={lost}
      />
    </>
  );
}

interface SideProps {
  title: string;
  name: string;
  pages: number;
  known: number;
  parts: Readonly<Record<string, number>>;
  most: number;
}

/** One crawl as a bar: both are drawn to one scale, so that what both have is as long in each. */
function Side({ title, name, pages, known, parts, most }: SideProps) {
  const { compare: words } = useTextOf(dataText);
  const { count } = useFormats();
  const shown = Object.entries(parts).filter(([, n]) => n > 0);
  const label = shown
    .map(([kind, n]) => `${count(n)} ${words.kinds[kind as keyof typeof words.kinds]}`)
    .join(', ');
  let at = 0;
  return (
    <div className="compare-side">
      <p>
        <span className="soft">{title}</span>{' '}
        <Link to="/crawls/$crawl" params={{ crawl: name }}>
          <Name of={name} />
        </Link>
        <b>{words.pages(count(pages))}</b>
        <span className="soft"> {words.ofKnown(count(known))}</span>
      </p>
      <svg viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label={label}>
        {shown.map(([kind, n]) => {
          const [x, width] = [at, (n / most) * 1000];
          at += width;
          return <rect key={kind} className={kind} x={x} y="0" width={width} height="14" />;
        })}
      </svg>
    </div>
  );
}
