import type { PageRecord } from '@webfarer/protocol';
import { useLive } from '../api/connected.tsx';
import { useNow } from '../parts/use-now.ts';
import { useFormats, useText } from '../text/use-text.tsx';

interface HeldHost {
  kind: 'host' | 'crawl';
  host: string;
  worker: string;
  sinceMs: number;
}

const mostHosts = 8;

/** The hosts that workers talk to at this moment, those that take longest first. */
export function HeldHosts({ crawl, last }: { crawl: string; last: PageRecord | undefined }) {
  const { crawl: words, loading } = useText();
  const { span } = useFormats();
  const now = useNow(1_000);
  const { documents, isWhole } = useLive({ topic: 'tasks', crawl, minIntervalMs: 1_000 });
  const held = ([...documents.values()] as HeldHost[])
    .filter(({ kind }) => kind === 'host')
    .toSorted((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, mostHosts);
  return (
    <section className="panel part" aria-labelledby="held">
      <h2 id="held">{words.held}</h2>
      {held.length === 0 ? (
        <p className="soft">{isWhole ? words.heldNone : loading}</p>
      ) : (
        <div className="scroll" tabIndex={0} role="group" aria-labelledby="held">
          <table className="stacked">
            <thead>
              <tr>
                <th>{words.host}</th>
                <th>{words.worker}</th>
                <th className="num">{words.heldFor}</th>
              </tr>
            </thead>
            <tbody>
              {held.map(({ host, worker, sinceMs }) => (
                <tr key={`${host} ${worker}`}>
                  <td className="name head">
                    <bdi>{host}</bdi>
                  </td>
                  <td className="name" data-label={words.worker}>
                    {worker}
                  </td>
                  <td className="num" data-label={words.heldFor}>
                    {now - sinceMs < 1_000 ? words.moment : span(Math.floor((now - sinceMs) / 1_000) * 1_000)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {last ? (
        <p className="last-page">
          <span className="soft">{words.lastPage}</span> {last.status ?? last.reason} <bdi>{last.url}</bdi>
        </p>
      ) : null}
    </section>
  );
}
