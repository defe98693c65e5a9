import { Link } from '@tanstack/react-router';
import type { HostWait } from '@webfarer/protocol';
import { useLive } from '../api/connected.tsx';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useCauseWords } from '../parts/problem-words.ts';
import { isOver } from '@webfarer/protocol/crawl';
import type { LifeState } from '../parts/state-badge.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

const mostHosts = 8;

interface WaitingProps {
  crawl: string;
  status: CrawlStatus | undefined;
  state: LifeState;
}

/** The answer to the question that everybody asks: why is it not faster? */
export function Waiting({ crawl, status, state }: WaitingProps) {
  const { crawl: words, waits, loading } = useText();
  const isRunning = state === 'running';
  const { count, span } = useFormats();
  const wordsOf = useCauseWords();
  const { documents, isWhole } = useLive({ topic: 'hosts', crawl, limit: mostHosts, minIntervalMs: 1_000 });
  const hosts = ([...documents] as [string, Omit<HostWait, 'host'>][])
    .toSorted(([, a], [, b]) => a.dueInMs - b.dueInMs)
    .slice(0, mostHosts);
  const dueWords = (why: HostWait['why'], dueInMs: number): string => {
    if (why === 'held') return words.dueHeld;
    return dueInMs <= 0 ? words.dueNow : words.dueIn(span(Math.ceil(dueInMs / 100) * 100));
  };
  const stall = status?.stall ?? status?.pause;
  const shown = stall && wordsOf(stall);
  const isStalled = (status?.pagesPerSecond ?? 0) === 0;
  // What is over waits for nothing.
  if (state !== 'failed' && isOver({ state })) return null;
  return (
    <section className="panel part" aria-labelledby="waiting">
      <div className="part-head">
        <h2 id="waiting">{words.waiting}</h2>
        <Link to="/crawls/$crawl/hosts" params={{ crawl }}>
          {words.allHosts}
        </Link>
      </div>
      {isRunning && shown ? (
        <p className={`crawl-says ${isStalled ? shown.tone : 'calm'}`} title={shown.detail}>
          <b>{isStalled ? words.stalled : words.slowed}</b> <bdi>{shown.words}</bdi>
        </p>
      ) : null}
      {!isRunning ? <p className="soft">{words.waitingOver}</p> : null}
      {isRunning && hosts.length === 0 && !(shown && isStalled) ? (
        <p className="soft">{isWhole ? words.waitingNone : loading}</p>
      ) : null}
      {isRunning && hosts.length > 0 ? (
        <>
          {shown ? null : <p className="soft">{words.moving}</p>}
          <div className="scroll" tabIndex={0} role="group" aria-labelledby="waiting">
            <table className="stacked">
              <thead>
                <tr>
                  <th>{words.host}</th>
                  <th>{words.why}</th>
                  <th className="num">{words.urls}</th>
                  <th className="num">{words.due}</th>
                </tr>
              </thead>
              <tbody>
                {hosts.map(([host, { why, queued, dueInMs, detail }]) => (
                  <tr key={host}>
                    <td className="name head">
                      <bdi>{host}</bdi>
                    </td>
                    <td data-label={words.why}>
                      {waits[why]}
                      {detail === undefined ? null : (
                        <small className="soft">
                          {' '}
                          <bdi>{detail}</bdi>
                        </small>
                      )}
                    </td>
                    <td className="num" data-label={words.urls}>
                      {count(queued)}
                    </td>
                    <td className="num" data-label={words.due}>
                      {dueWords(why, dueInMs)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      ) : null}
    </section>
  );
}
