import type { CrawlStatus } from '../api/crawl-status.ts';
import { failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { numberOf, toneOfStatus } from '@webfarer/protocol/numbers';
import { type Bar, Bars } from '../parts/bars.tsx';
import { useLeftOutWords, useReasonWords } from '../parts/reason-words.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import { searchOfReason, type UrlsSearch } from '../api/url-search.ts';

const mostRows = 8;

/** What came of the URLs: answers by status, failures and refusals by reason, links that were left out. */
export function Outcomes({ crawl, status }: { crawl: string; status: CrawlStatus | undefined }) {
  const { crawl: words, none, loading } = useText();
  const { count } = useFormats();
  const errors = (status && numberOf('errorAnswers', status)) ?? 0;
  const because = useReasonWords();
  const leftOut = useLeftOutWords();
  const groups: Group[] = [
    {
      title: words.statuses,
      counts: status?.byStatus ?? {},
      tone: (name) => toneOfStatus(Number(name)),
      search: ofStatus,
    },
    {
      title: words.outcomes,
      counts: troubleIn(status?.byReason ?? {}),
      tone: (reason: string) => searchOfReason(reason).state ?? 'queued',
      search: searchOfReason,
      say: because,
    },
    { title: words.dropped, counts: status?.dropped ?? {}, tone: () => 'queued', say: leftOut },
  ];
  return (
    <section className="panel part" aria-labelledby="outcomes">
      <h2 id="outcomes">{words.came}</h2>
      {groups.map(({ title, ...group }) => (
        <div key={title} className="bars-group">
          <h3>{title}</h3>
          <Bars crawl={crawl} none={status ? none : loading} rows={rowsOf(group)} />
          {errors > 0 && title === words.statuses ? (
            <p className="soft small">{words.errorAnswers(count(errors))}</p>
          ) : null}
        </div>
      ))}
    </section>
  );
}

interface Group {
  title: string;
  /** Which URLs a row counts; absent: it counts no URLs of the crawl. */
  search?: (name: string) => UrlsSearch;
  /** A name in words; absent: as it is. */
  say?: (name: string) => string;
  counts: Readonly<Record<string, number>>;
  tone: (name: string) => string;
}

const rowsOf = ({ counts, tone, search, say = (name) => name }: Omit<Group, 'title'>): Bar[] =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostRows)
    .map(([name, value]) => ({
      key: name,
      label: say(name),
      title: name,
      value,
      tone: tone(name),
      ...(search ? { search: search(name) } : {}),
    }));

/** Done URLs are counted by status, all others by reason. */
const ofStatus = (status: string): UrlsSearch => ({ state: 'done', status });

/** What failed and what was refused; answers, a 404 too, are in the list by status. */
const troubleIn = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).filter(([reason]) => reason in failedReasons || reason in refusedReasons),
  );
