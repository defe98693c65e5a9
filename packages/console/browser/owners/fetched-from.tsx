import type { OwnerAnswer } from '@webfarer/protocol/api';
import { When } from '../parts/when.tsx';
import { ownersText } from '../text/owners-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';

/** What holds for the host from now on, and what was requested from it until now. */
export function FetchedFrom({ answer }: { answer: OwnerAnswer }) {
  const words = useTextOf(ownersText);
  const { count, bytes, span } = useFormats();
  const { host, refused, gapMs, fetched } = answer;
  const holds = gapMs === undefined ? words.state[refused ?? 'none'] : words.slowed(span(gapMs));
  return (
    <div className="owner-answer">
      <p className="owner-holds" role="status">
        {holds}
      </p>
      <h3>{words.fetched(host)}</h3>
      {fetched.pages === 0 ? (
        <p className="soft">{words.nothing}</p>
      ) : (
        <>
          <dl className="legend">
            <div>
              <dt>{words.pages}</dt>
              <dd>{count(fetched.pages)}</dd>
            </div>
            <div>
              <dt>{words.bytes}</dt>
              <dd>{bytes(fetched.bytes)}</dd>
            </div>
            {Object.entries(fetched.byStatus).map(([status, pages]) => (
              <div key={status}>
                <dt>{status === 'none' ? words.noAnswer : status}</dt>
                <dd>{count(pages)}</dd>
              </div>
            ))}
          </dl>
          <p className="soft">
            {words.latest(count(fetched.latest.length))}. {fetched.complete ? null : words.partial}
          </p>
          <div className="scroll" tabIndex={0} role="group" aria-label={words.fetched(host)}>
            <table>
              <thead>
                <tr>
                  <th>{words.time}</th>
                  <th>{words.address}</th>
                  <th>{words.status}</th>
                  <th className="num">{words.size}</th>
                </tr>
              </thead>
              <tbody>
                {fetched.latest.map(({ atMs, url, status, bytes: size }, n) => (
                  <tr key={n}>
                    <td>{atMs === undefined ? null : <When atMs={atMs} />}</td>
                    <td className="url">{url}</td>
                    <td>{status ?? words.noAnswer}</td>
                    <td className="num">{size === undefined ? null : bytes(size)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </div>
  );
}
