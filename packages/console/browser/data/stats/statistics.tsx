import { Button } from '@mantine/core';
import type { CrawlStatistics, ShownStatistics, StatisticsTable } from '@webfarer/protocol/api';
import { toneOfStatus } from '@webfarer/protocol/numbers';
import { type ReactNode, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Bar, Bars } from '../../parts/bars.tsx';
import { EmptyState, Problem } from '../../parts/notices.tsx';
import { useReasonWords } from '../../parts/reason-words.ts';
import { When } from '../../parts/when.tsx';
import { statsText } from '../../text/stats-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';
import { searchOfReason, type UrlsSearch } from '../../api/url-search.ts';
import { SurveyProgress } from '../survey/survey-progress.tsx';
import { useSurvey } from '../survey/use-survey.ts';
import { HostLists } from './host-lists.tsx';
import { type RowWords, stepRows, tableRows } from './stat-rows.ts';
import { StatTiles } from './stat-tiles.tsx';
import '../../style/crawl.css';
import '../../style/stats.css';

const mostRows = 8;

const ask = async (
  client: Client,
  { crawl, id, signal }: { crawl: string; id: string; signal: AbortSignal },
) => await client.getStatistics({ params: { crawl }, query: { id }, signal });

/** What a crawl fetched, counted: answers, trouble, types, times, sizes, hosts. */
export function Statistics({ crawl }: { crawl: string }) {
  const words = useTextOf(statsText);
  const { count } = useFormats();
  const [round, setRound] = useState(0);
  const { survey, error } = useSurvey(crawl, ask, round);
  if (error !== undefined) return <Problem error={error} />;
  if (!survey?.statistics) return <SurveyProgress of={survey} title={words.title} say={words.reading} />;
  const { statistics, balance, atMs, absent } = survey;
  if (statistics.totals.urls === 0)
    return (
      <EmptyState title={words.empty}>
        <p>{words.emptyLead}</p>
        <Again again={() => setRound(round + 1)} />
      </EmptyState>
    );
  const waiting = balance.queued + balance.leased;
  return (
    <>
      <div className="data-tools stats-head">
        <p className="soft small">
          {words.lead(count(statistics.totals.urls))} {waiting > 0 ? `${words.waiting(count(waiting))} ` : ''}
          {hasMoved(survey) ? `${words.moved} ` : ''}
          {absent > 0 ? `${words.absent(count(absent))} ` : ''}
          {statistics.totals.estimated ? `${words.estimated} ` : ''}
          {words.asOf} <When atMs={atMs} clock />
        </p>
        <Again again={() => setRound(round + 1)} />
      </div>
      <StatTiles statistics={statistics} />
      <Cards crawl={crawl} statistics={statistics} />
      <HostLists crawl={crawl} hosts={statistics.hosts} />
    </>
  );
}

/** What was read is more, or less, than what the crawl had counted when the survey was begun. */
function hasMoved({ statistics, balance, absent }: ShownStatistics): boolean {
  if (!statistics || absent > 0) return false;
  const { done, failed, refused } = statistics.verdicts;
  return done !== balance.done || failed !== balance.failed || refused !== balance.refused;
}

function Again({ again }: { again: () => void }) {
  const words = useTextOf(statsText);
  return (
    <Button variant="default" onClick={again}>
      {words.again}
    </Button>
  );
}

/** Shares of the whole, with the number itself. */
function useRowWords(whole: number, say: (value: number) => string): RowWords {
  const words = useTextOf(statsText);
  const { count, percent } = useFormats();
  return {
    others: (keys) => (keys > 0 ? words.others(count(keys)) : words.moreOthers),
    without: words.without,
    figure: (value) => words.figures(say(value), percent(whole === 0 ? 0 : value / whole)),
  };
}

function Cards({ crawl, statistics }: { crawl: string; statistics: CrawlStatistics }) {
  const words = useTextOf(statsText);
  const because = useReasonWords();
  const { count, bytes, span } = useFormats();
  const { totals, tables, outcomes, sizes, times } = statistics;
  const byUrls = useRowWords(totals.urls, count);
  const byBytes = useRowWords(totals.bytes, bytes);
  const table = (of: StatisticsTable, more: Partial<Parameters<typeof tableRows>[1]> = {}) =>
    tableRows(of, { by: 'urls', most: mostRows, words: byUrls, ...more });
  const trouble = outcomes.filter(({ verdict }) => verdict !== 'done');
  const ofTls = (key: string) => (key === 'none' ? words.noTls : key);
  const half = sizes.quantiles;
  // What is not known of any URL, or the same for all, needs no card.
  const few = [
    { title: words.languages, of: tables.languages, lead: words.languagesLead },
    { title: words.servers, of: tables.servers },
    { title: words.charsets, of: tables.charsets },
    { title: words.tls, of: tables.tls, say: ofTls },
    { title: words.kinds, of: tables.kinds, least: 2 },
  ];
  const numbered = (of: StatisticsTable) => ({
    ...of,
    rows: of.rows.toSorted((a, b) => Number(a.key) - Number(b.key)),
  });
  return (
    <div className="stat-cards">
      <Card title={words.answers}>
        <Classes classes={statistics.classes} />
        <Bars
          crawl={crawl}
          whole={totals.urls}
          none={words.without}
          rows={table(tables.status, {
            most: 12,
            tone: (status) => toneOfStatus(Number(status)),
            search: (status) => ({ status }),
            words: { ...byUrls, without: words.classes.none },
          })}
        />
      </Card>
      <Card title={words.trouble}>
        <Bars
          crawl={crawl}
          whole={totals.urls}
          none={words.troubleNone}
          rows={trouble.slice(0, 2 * mostRows).map(({ verdict, reason, urls }): Bar => {
            const search: UrlsSearch = searchOfReason(reason);
            return {
              key: `${verdict} ${reason}`,
              label: because(reason),
              title: reason,
              value: urls,
              tone: verdict,
              figure: byUrls.figure(urls),
              search,
            };
          })}
        />
      </Card>
      <Card title={words.types} lead={words.typesLead}>
        <Bars crawl={crawl} whole={totals.urls} none={words.without} rows={table(tables.types)} />
      </Card>
      <Card title={words.typeBytes}>
        <Bars
          crawl={crawl}
          whole={totals.bytes}
          none={words.without}
          rows={table(tables.types, { by: 'bytes', words: byBytes })}
        />
      </Card>
      <Card title={words.times} lead={words.timesLead(span(times.quantiles.p50), span(times.quantiles.p95))}>
        <Bars
          crawl={crawl}
          whole={times.urls}
          none={words.without}
          rows={stepRows(times, {
            upTo: (ms) => words.upTo(span(ms)),
            above: (ms) => words.above(span(ms)),
            figure: count,
          })}
        />
      </Card>
      <Card title={words.sizes} lead={words.sizesLead(bytes(half.p50), bytes(half.p95))}>
        <Bars
          crawl={crawl}
          whole={sizes.urls}
          none={words.without}
          rows={stepRows(sizes, {
            upTo: (n) => words.upTo(bytes(n)),
            above: (n) => words.above(bytes(n)),
            figure: count,
          })}
        />
      </Card>
      <Card title={words.depths}>
        <Bars
          crawl={crawl}
          whole={totals.urls}
          none={words.without}
          rows={depthRows(table(numbered(tables.depths), { most: 100, search: ofDepth }))}
        />
      </Card>
      {few.map(({ of, title, lead, least = 1, ...more }) =>
        of.keys < least ? null : (
          <Card key={title} title={title} lead={lead}>
            <Bars crawl={crawl} whole={totals.urls} none={words.without} rows={table(of, more)} />
          </Card>
        ),
      )}
    </div>
  );
}

const ofDepth = (depth: string): UrlsSearch => ({ depth: Number(depth) });

/** By depth, not by number: the row of all others stays last. */
const depthRows = (rows: readonly Bar[]): Bar[] => rows.toSorted((a, b) => placeOf(a) - placeOf(b));
const placeOf = ({ key }: Bar): number => (/^\d+$/.test(key) ? Number(key) : Number.POSITIVE_INFINITY);

function Card({ title, lead, children }: { title: string; lead?: string | undefined; children: ReactNode }) {
  return (
    <section className="panel part stat-card" aria-label={title}>
      <h2>{title}</h2>
      {lead === undefined ? null : <p className="soft small">{lead}</p>}
      {children}
    </section>
  );
}

const classTones = {
  '1xx': 'queued',
  '2xx': 'done',
  '3xx': 'accent',
  '4xx': 'client',
  '5xx': 'failed',
  none: 'queued',
} as const;
type StatusClass = keyof typeof classTones;

/** All URLs in one bar, by the class of their answers; told in words to those who cannot see it. */
function Classes({ classes }: { classes: CrawlStatistics['classes'] }) {
  const words = useTextOf(statsText);
  const { count } = useFormats();
  const shown = (Object.keys(classTones) as StatusClass[]).filter((name) => classes[name] > 0);
  const whole = shown.reduce((sum, name) => sum + classes[name], 0);
  const say = (name: StatusClass) => `${name === 'none' ? '' : `${name} `}${words.classes[name]}`;
  let from = 0;
  return (
    <>
      <svg
        className="stack"
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={shown.map((name) => `${say(name)}: ${count(classes[name])}`).join(', ')}
      >
        {shown.map((name) => {
          const [x, width] = [from, (classes[name] / whole) * 1000];
          from += width;
          return <rect key={name} className={classTones[name]} x={x} width={width} height="10" />;
        })}
      </svg>
      <ul className="plot-legend stat-classes">
        {shown.map((name) => (
          <li key={name}>
            <i className={`class-mark ${classTones[name]}`} aria-hidden="true" />
            {say(name)} <b>{count(classes[name])}</b>
          </li>
        ))}
      </ul>
    </>
  );
}
