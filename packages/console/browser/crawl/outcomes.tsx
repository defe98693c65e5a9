import type { CrawlStatus } from '../api/crawl-status.ts';
import { type Bar, Bars, toneOfStatus } from '../parts/bars.tsx';
import { useReasonWords } from '../parts/reason-words.ts';
import { useText } from '../text/use-text.tsx';
import { searchOfReason, type UrlsSearch } from '../api/url-search.ts';

const mostRows = 8;

/** What came of the URLs: answers by status, failures and refusals by reason, links that were left out. */
export function Outcomes({ crawl, status }: { crawl: string; status: CrawlStatus | undefined }) {
  const { crawl: words, none } = useText();
  const because = useReasonWords();
  const groups: Group[] = [
    { title: words.statuses, counts: status?.byStatus ?? {}, tone: toneOfStatus, search: ofStatus },
    {
      title: words.outcomes,
      counts: withoutPlain(status?.byReason ?? {}),
      tone: (reason: string) => searchOfReason(reason).state ?? 'queued',
      search: searchOfReason,
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
          <Bars crawl={crawl} none={none} rows={rowsOf(group)} />
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

/** Pages that came as they should are in the other list already. */
const withoutPlain = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([reason]) => reason !== 'ok'));
