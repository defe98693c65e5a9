import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { WebfarerError } from '@webfarer/protocol';
import { useConnected } from '../api/connected.tsx';
import { useStatus } from '../api/status.ts';
import { balanceParts, isOpen, numberOf, numberTable, shownBalance } from '@webfarer/protocol/numbers';
import { BalanceBar } from '../parts/balance-bar.tsx';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { EmptyState, Failure } from '../parts/notices.tsx';
import { useProblemWords } from '../parts/problem-words.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import { Charts } from './charts.tsx';
import { CrawlActions } from './crawl-actions.tsx';
import { Edits } from './edits.tsx';
import { Events } from './events.tsx';
import { HeldHosts } from './held-hosts.tsx';
import { Outcomes } from './outcomes.tsx';
import { PaceAndLimits } from './pace-and-limits.tsx';
import { Tiles } from './tiles.tsx';
import { Waiting } from './waiting.tsx';
import '../style/crawl.css';
import '../style/stacked.css';

/** One crawl while it runs: how fast, what came of it, what it waits for, and everything that steers it. */
export function CrawlScreen() {
  const text = useText();
  const { count } = useFormats();
  const { client } = useConnected();
  const { crawl: name } = useParams({ from: '/crawls/$crawl' });
  const status = useStatus(name);
  const asked = useQuery({
    queryKey: ['crawl', name, status?.state],
    queryFn: () => client.getCrawl({ params: { crawl: name } }),
    placeholderData: (before) => before,
    retry: false,
  });
  const detail = asked.data;
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  const problem = useProblemWords({ status, detail, state });
  const counted = status?.balance ?? detail?.progress?.balance;
  const balance = counted && shownBalance(counted, isOpen(state));
  const errors = status && numberOf('errorAnswers', status);

  if (asked.error instanceof WebfarerError && asked.error.code === 'not-found')
    return <EmptyState title={text.crawl.missing(name)}>{null}</EmptyState>;
  if (asked.error) return <Failure error={asked.error} again={() => void asked.refetch()} />;
  if (!detail || state === undefined) return <p className="soft">{text.loading}</p>;
  return (
    <>
      <CrawlHead crawl={name} name={detail.name} state={state}>
        <CrawlActions crawl={detail} state={state} queued={balance?.queued ?? 0} />
      </CrawlHead>
      {problem === undefined ? null : (
        <p className={`crawl-says ${problem.tone}`} title={problem.detail}>
          <bdi>{problem.words}</bdi>
        </p>
      )}
      {balance ? (
        <section className="panel sheet" aria-label={text.crawl.known}>
          <BalanceBar balance={balance} />
          <dl className="legend">
            {balanceParts.map((part) => (
              <div key={part}>
                <dt>
                  <i className={numberTable[part].tone} aria-hidden="true" />
                  <Link to="/crawls/$crawl/urls" params={{ crawl: name }} search={{ state: part }}>
                    {text.numbers[part]}
                  </Link>
                  {part === 'done' && errors ? (
                    <small className="soft">
                      {' '}
                      {text.crawl.ofThem(count(errors), text.numbers.errorAnswers)}
                    </small>
                  ) : null}
                </dt>
                <dd>{count(balance[part])}</dd>
              </div>
            ))}
            <div className="sum">
              <dt>
                <Link to="/crawls/$crawl/urls" params={{ crawl: name }} search={{}}>
                  {text.numbers.known}
                </Link>
              </dt>
              <dd>{count(balance.known)}</dd>
            </div>
          </dl>
        </section>
      ) : null}
      <Tiles status={status} state={state} balance={balance} />
      <Charts crawl={name} status={status} isRunning={state === 'running'} />
      <div className="two">
        <div>
          <Waiting crawl={name} status={status} state={state} />
          <Outcomes crawl={name} status={status} />
          <Events crawl={name} state={state} />
        </div>
        <div>
          <HeldHosts crawl={name} last={status?.last} />
          <PaceAndLimits key={detail.version} crawl={detail} />
          <Edits crawl={name} version={detail.version} />
        </div>
      </div>
    </>
  );
}
