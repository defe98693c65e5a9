import { Link } from '@tanstack/react-router';
import type { CrawlStatus } from '../api/status.ts';
import { useReasonWords } from '../parts/reason-words.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import { reasonsOf, type UrlsSearch, urlStates } from '../urls/url-search.ts';

const mostRows = 8;

/** What came of the URLs: answers by status, failures and refusals by reason, links that were left out. */
export function Outcomes({ crawl, status }: { crawl: string; status: CrawlStatus | undefined }) {
  const { crawl: words, none } = useText();
  const because = useReasonWords();
  const groups = [
    { title: words.statuses, counts: status?.byStatus ?? {}, tone: toneOfStatus, search: ofStatus },
    {
      title: words.outcomes,
      counts: withoutPlain(status?.byReason ?? {}),
      tone: (reason: string) => ofReason(reason).state ?? 'queued',
      search: ofReason,
      say: because,
    },
    { title: words.dropped, counts: status?.dropped ?? {}, tone: () => 'queued' },
  ];
  return (
    <section className="panel part" aria-labelledby="outcomes">
      <h2 id="outcomes">{words.came}</h2>
      {groups.map(({ title, ...group }) => (
        <div key={title} className="bars-group">
          <h3>{title}</h3>
          <Bars crawl={crawl} none={none} {...group} />
        </div>
      ))}
    </section>
  );
}

/** Done URLs are counted by status, all others by reason. */
const ofStatus = (status: string): UrlsSearch => ({ state: 'done', status });

function ofReason(code: string): UrlsSearch {
  for (const state of urlStates) {
    const reason = reasonsOf(state).find((each) => each === code);
    if (reason) return { state, reason };
  }
  return {};
}

interface BarsProps {
  crawl: string;
  /** Which URLs a row counts; absent: it counts no URLs of the crawl. */
  search?: (name: string) => UrlsSearch;
  /** A name in words; absent: as it is. */
  say?: (name: string) => string;
  counts: Readonly<Record<string, number>>;
  tone: (name: string) => string;
  none: string;
}

function Bars({ crawl, counts, tone, none, search, say = (name) => name }: BarsProps) {
  const { count } = useFormats();
  const rows = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostRows);
  const most = Math.max(1, ...rows.map(([, n]) => n));
  if (rows.length === 0) return <p className="soft">{none}</p>;
  return (
    <ul className="bars">
      {rows.map(([name, n]) => (
        <li key={name}>
          {search ? (
            <Link to="/crawls/$crawl/urls" params={{ crawl }} search={search(name)} title={name}>
              {say(name)}
            </Link>
          ) : (
            <span>{say(name)}</span>
          )}
          <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
            <rect className={tone(name)} width={(100 * n) / most} height="9" />
          </svg>
          <b>{count(n)}</b>
        </li>
      ))}
    </ul>
  );
}

function toneOfStatus(status: string): string {
  if (status.startsWith('5')) return 'failed';
  if (status.startsWith('4')) return 'refused';
  return status.startsWith('3') ? 'leased' : 'done';
}

/** Pages that came as they should are in the other list already. */
const withoutPlain = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([reason]) => reason !== 'ok'));
