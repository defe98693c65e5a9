import { useQuery } from '@tanstack/react-query';
import { useConnected } from '../api/connected.tsx';
import { When } from '../parts/when.tsx';
import { useText } from '../text/use-text.tsx';

/** Who changed the job, when, and from what to what; newest first. */
export function Edits({ crawl, version }: { crawl: string; version: number }) {
  const { crawl: words, loading } = useText();
  const { client } = useConnected();
  const { data } = useQuery({
    queryKey: ['edits', crawl, version],
    queryFn: () => client.listEdits({ params: { crawl } }),
    placeholderData: (before) => before,
  });
  const edits = data?.items.toReversed() ?? [];
  const shown = (value: unknown) => (value === undefined ? words.notSet : JSON.stringify(value));
  return (
    <section className="panel part" aria-labelledby="edits">
      <h2 id="edits">{words.history}</h2>
      {edits.length > 0 ? null : <p className="soft">{data ? words.historyNone : loading}</p>}
      <ol className="events">
        {edits.map(({ seq, atMs, by, changes }) => (
          <li key={seq}>
            <When atMs={atMs} />
            <div>
              {changes.map(({ field, from, to }) => (
                <p key={field}>
                  <code>{field}</code> {shown(from)} → <b>{shown(to)}</b>
                </p>
              ))}
              <p className="soft">{words.changedBy(by)}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
