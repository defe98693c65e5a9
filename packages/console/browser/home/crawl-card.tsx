import { Link } from '@tanstack/react-router';
import { useConnected } from '../api/connected.tsx';
import { useStatus } from '../api/status.ts';
import { Name } from '../parts/name.tsx';
import { BalanceBar } from '../parts/balance-bar.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { shownBalance } from '../parts/shown-balance.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { useLeftWords } from '../parts/left-words.ts';
import { useProblemWords } from '../parts/problem-words.ts';
import { useCrawlDetail } from '../parts/use-crawl-detail.ts';
import { When } from '../parts/when.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import type { ListedCrawl } from './use-crawl-list.ts';

const sparkPoints = 60;

export function CrawlCard({ crawl }: { crawl: ListedCrawl }) {
  const text = useText();
  const formats = useFormats();
  const { rates } = useConnected();
  const status = useStatus(crawl.id);
  const detail = useCrawlDetail(crawl.id, { version: crawl.version, state: status?.state });
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  const counted = status?.balance ?? detail?.progress?.balance;
  const balance = counted && shownBalance(counted, state);
  const left = useLeftWords(status, state);
  const problem = useProblemWords({ status, detail, state });
  const isMoving = state === 'running';
  const samples = rates.samplesOf(crawl.id).slice(-sparkPoints);

  return (
    <article className="card crawl-card" role="listitem">
      <div className="card-head">
        <h3>
          <Link to="/crawls/$crawl" params={{ crawl: crawl.name }}>
            <Name of={crawl.name} />
          </Link>
        </h3>
        {state === undefined ? null : <StateBadge state={state} />}
      </div>
      {balance ? <BalanceBar balance={balance} /> : <div className="stack nothing" />}
      <div className="card-figures">
        <span>
          {balance
            ? text.card.known(
                formats.count(balance.done + balance.failed + balance.refused),
                formats.count(balance.known),
              )
            : text.card.noProgressYet}
        </span>
        {isMoving ? <b>{text.card.rate(formats.rate(status?.pagesPerSecond ?? 0))}</b> : null}
      </div>
      <div className="card-foot">
        <span className="soft">{left}</span>
        {isMoving ? (
          <Sparkline
            values={samples.map(({ pagesPerSecond }) => pagesPerSecond)}
            label={text.card.rateChart}
          />
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
