import { Link } from '@tanstack/react-router';
import { useFormats } from '../text/use-text.tsx';
import type { UrlsSearch } from '../api/url-search.ts';

export interface Bar {
  key: string;
  label: string;
  title?: string;
  value: number;
  /** A class of the palette. */
  tone: string;
  /** The URLs behind it; absent: there is no list of them. */
  search?: UrlsSearch;
  /** Beside the bar; absent: the value. */
  figure?: string;
}

interface BarsProps {
  crawl: string;
  rows: readonly Bar[];
  /** What a bar over the whole room stands for; absent: the largest value. */
  whole?: number;
  /** Said where there are no rows. */
  none: string;
}

/** The least of a bar that is seen, in hundredths of the room. */
const leastBar = 0.6;

/** One bar for each row, as long as its value says; names lead to the URLs behind them. */
export function Bars({ crawl, rows, whole, none }: BarsProps) {
  const { count } = useFormats();
  const most = whole ?? Math.max(1, ...rows.map(({ value }) => value));
  if (rows.length === 0) return <p className="soft">{none}</p>;
  return (
    <ul className="bars">
      {rows.map(({ key, label, title, value, tone, search, figure }) => (
        <li key={key}>
          {search ? (
            <Link to="/crawls/$crawl/urls" params={{ crawl }} search={search} title={title ?? label}>
              <bdi>{label}</bdi>
            </Link>
          ) : (
            <span title={title ?? label}>
              <bdi>{label}</bdi>
            </span>
          )}
          <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
            <rect className={tone} width={barWidth(value, most)} height="9" />
          </svg>
          <b>{figure ?? count(value)}</b>
        </li>
      ))}
    </ul>
  );
}

/** In hundredths of the room. */
export function barWidth(value: number, whole: number): number {
  if (value <= 0 || whole <= 0) return 0;
  return Math.min(100, Math.max(leastBar, (100 * value) / whole));
}
