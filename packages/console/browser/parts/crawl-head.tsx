import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStatus } from '../api/status.ts';
import { useText } from '../text/use-text.tsx';
import { Name } from './name.tsx';
import { type LifeState, StateBadge } from './state-badge.tsx';
import '../style/crawl-head.css';

interface CrawlHeadProps {
  /** The id or name that the address has. */
  crawl: string;
  name: string;
  state: LifeState | undefined;
  /** What the screen shows of the crawl; without one it is the crawl itself. */
  title?: string;
  /** What can be done on this screen. */
  children?: ReactNode;
}

/** The head of every screen of a crawl: which crawl, how it is, what can be done here, and the way to its other screens. */
export function CrawlHead({ crawl, name, state, title, children }: CrawlHeadProps) {
  const status = useStatus(crawl);
  return (
    <>
      <div className="crawl-head">
        <h1>
          {title === undefined ? (
            <Name of={name} />
          ) : (
            <>
              <Link to="/crawls/$crawl" params={{ crawl }}>
                <Name of={name} />
              </Link>{' '}
              <span className="soft">{title}</span>
            </>
          )}
        </h1>
        <StateBadge state={state} status={status} />
        {children}
      </div>
      <CrawlNav crawl={crawl} />
    </>
  );
}

const screens = [
  { to: '/crawls/$crawl', word: 'overview', exact: true },
  { to: '/crawls/$crawl/urls', word: 'urls', exact: false },
  { to: '/crawls/$crawl/hosts', word: 'hosts', exact: false },
  { to: '/crawls/$crawl/data', word: 'data', exact: false },
  { to: '/crawls/$crawl/scope', word: 'scope', exact: false },
  { to: '/crawls/$crawl/job', word: 'job', exact: false },
] as const;

export function CrawlNav({ crawl }: { crawl: string }) {
  const { crawlNav: words } = useText();
  return (
    <nav className="crawl-nav" aria-label={words.label}>
      {screens.map(({ to, word, exact }) => (
        <Link key={to} to={to} params={{ crawl }} search={{}} activeOptions={{ exact, includeSearch: false }}>
          {words[word]}
        </Link>
      ))}
    </nav>
  );
}
