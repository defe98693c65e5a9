import type { CrawlStatus } from '../api/status.ts';
import { useFormats, useText } from '../text/use-text.tsx';

const mostRows = 8;

/** What came of the URLs: answers by status, failures and refusals by reason, links that were left out. */
export function Outcomes({ status }: { status: CrawlStatus | undefined }) {
  const { crawl: words, none } = useText();
  const groups = [
    { title: words.statuses, counts: status?.byStatus ?? {}, tone: toneOfStatus },
    { title: words.outcomes, counts: withoutPlain(status?.byReason ?? {}), tone: () => 'refused' },
    { title: words.dropped, counts: status?.dropped ?? {}, tone: () => 'queued' },
  ];
  return (
    <section className="panel part" aria-labelledby="outcomes">
      <h2 id="outcomes">{words.came}</h2>
      {groups.map(({ title, counts, tone }) => (
        <div key={title} className="bars-group">
          <h3>{title}</h3>
          <Bars counts={counts} tone={tone} none={none} />
        </div>
      ))}
    </section>
  );
}

interface BarsProps {
  counts: Readonly<Record<string, number>>;
  tone: (name: string) => string;
  none: string;
}

function Bars({ counts, tone, none }: BarsProps) {
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
          <span>{name}</span>
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
