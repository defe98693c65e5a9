import { Link } from '@tanstack/react-router';
import type { PageRecord } from '@webfarer/protocol';
import { untoldTries } from '@webfarer/protocol/crawl';
import { useConnected } from '../api/connected.tsx';
import { When } from '../parts/when.tsx';
import { timesText } from '../text/times-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';

/** A worker by its name, for those who may see the network with what it does now. It may have left since. */
export function WorkerLink({ id }: { id: string }) {
  if (useConnected().who.scope !== 'admin') return <bdi>{id}</bdi>;
  return (
    <Link to="/network" search={{ q: id }} preload={false}>
      <bdi>{id}</bdi>
    </Link>
  );
}

/** The tries before the last one: when, by whom, and what went wrong. */
export function Tries({ record }: { record: PageRecord }) {
  const words = useTextOf(timesText);
  const { count, span } = useFormats();
  const { tries = [] } = record;
  const untold = untoldTries(record);
  if (tries.length + untold === 0) return null;
  return (
    <>
      <h3 id="tries">{words.tries}</h3>
      {untold > 0 ? <p className="soft small">{words.untold(count(untold))}</p> : null}
      <ol className="tries" aria-labelledby="tries">
        {tries.map(({ atMs, tookMs, reason, detail, by }, at) => (
          <li key={at}>
            <span>
              <When atMs={atMs} clock />
            </span>
            <span>
              <b>{reason}</b>{' '}
              <span className="soft">
                <bdi>
                  {[detail, tookMs === undefined ? '' : words.took(span(tookMs))].filter(Boolean).join(', ')}
                </bdi>
              </span>
            </span>
            <WorkerLink id={by} />
          </li>
        ))}
      </ol>
    </>
  );
}
