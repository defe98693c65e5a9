import { Link } from '@tanstack/react-router';
import type { ListedCrawl } from '@webfarer/protocol/api';
import { isOpen, numberOf, shownBalance } from '@webfarer/protocol/numbers';
import { chartPoints } from '../api/chart-points.ts';
import { useConnected } from '../api/connected.tsx';
import { rangeSpans, useHistory } from '../api/history.ts';
import { useStatus } from '../api/status.ts';
import { Name } from '../parts/name.tsx';
import { BalanceBar } from '../parts/balance-bar.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { useLeftWords } from '../parts/left-words.ts';
import { useProblemWords } from '../parts/problem-words.ts';
import { useCrawlDetail } from '../parts/use-crawl-detail.ts';
import { When } from '../parts/when.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

export function CrawlCard({ crawl }: { crawl: ListedCrawl }) {
  const text = useText();
  const formats = useFormats();
  // Of a crawl that is over, nothing more happens: a list of thousands follows those that are open.
  const status = useStatus(crawl.id, crawl.wanted === 'running' || crawl.wanted === 'paused');
  const detail = useCrawlDetail(crawl.id, { version: crawl.version, state: status?.state });
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  const counted = status?.balance ?? detail?.progress?.balance;
  const balance = counted && shownBalance(counted, isOpen(state));
  const left = useLeftWords(status, state);
  const problem = useProblemWords({ status, detail, state });
  const isMoving = state === 'running';

  return (
    <article className="card crawl-card" role="listitem">
      <div className="card-head">
        <h3 id={`card-${crawl.id}`}>
          <Link to="/crawls/$crawl" params={{ crawl: crawl.name }}>
            <Name of={crawl.name} />
          </Link>
        </h3>
        {state === undefined ? null : (
          <StateBadge state={state} status={{ ...detail?.progress, ...status }} />
        )}
      </div>
      {balance ? <BalanceBar balance={balance} /> : <div className="stack nothing" />}
      <div className="card-figures">
        <span>
          {balance
            ? text.card.known(
                formats.count(numberOf('settled', { balance }) ?? 0),
                formats.count(balance.known),
              )
            : detail && !status
              ? text.card.countsElsewhere
              : text.loading}
        </span>
        {isMoving ? (
          <b>
            {status?.pagesPerSecond === undefined ? '' : text.card.rate(formats.rate(status.pagesPerSecond))}
          </b>
        ) : null}
      </div>
      <div className="card-foot">
        <span className="soft">{left}</span>
        {isMoving ? (
          <Link
            className="card-hosts"
            to="/crawls/$crawl/hosts"
            params={{ crawl: crawl.name }}
            aria-describedby={`card-${crawl.id}`}
          >
            {text.hosts.open}
          </Link>
        ) : null}
        {isMoving ? (
          <RateLine crawl={crawl.id} />
        ) : (
          <span className="soft">
            <When atMs={crawl.createdAtMs} />
          </span>
        )}
      </div>
      {problem === undefined ? null : (
        <p className={`says ${problem.tone}`} title={problem.detail}>
          <bdi>{problem.words}</bdi>
        </p>
      )}
    </article>
  );
}

/** In place of a crawl that is on its way: as high as most cards are. */
export function WaitingCard() {
  return <div className="card crawl-card waiting-card" role="listitem" aria-busy="true" />;
}

/** Pages per second in the last quarter of an hour, recorded and live. */
function RateLine({ crawl }: { crawl: string }) {
  const { card } = useText();
  const { rates } = useConnected();
  const history = useHistory({ crawl, range: '15m', isRunning: true }) ?? [];
  const sinceMs = Date.now() - rangeSpans['15m'];
  const points = chartPoints({ history, live: rates.samplesOf(crawl), sinceMs });
  return (
    <Sparkline
      points={points.map(({ atMs, pagesPerSecond }) => ({ atMs, value: pagesPerSecond }))}
      label={card.rateChart}
    />
  );
}
