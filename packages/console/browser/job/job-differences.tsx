import { useQuery } from '@tanstack/react-query';
import { useConnected } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { tryText } from '../text/try-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { type Difference, differences } from './differences.ts';
import { useDebounced } from './use-lasting.ts';

/** Of a list that nobody reads to its end. */
const mostShown = 50;

/** What this job does otherwise than the crawl that it was begun from, or the last one of its name. */
export function JobDifferences({
  from,
  name,
  written,
}: {
  from: string | undefined;
  name: unknown;
  written: unknown;
}) {
  const words = useTextOf(tryText);
  const { client } = useConnected();
  const wanted = useDebounced(from ?? (typeof name === 'string' ? name.trim() : ''));
  const { data } = useQuery({
    queryKey: ['job of', wanted],
    enabled: wanted !== '',
    queryFn: async () => await findCrawl(() => client.getCrawl({ params: { crawl: wanted } })),
    staleTime: 30_000,
    retry: false,
  });
  if (!data) return null;
  const found = differences(data.job, written);
  return (
    <section className="panel part" aria-labelledby="job-differences">
      <h2 id="job-differences">
        {words.differs} <Name of={data.name} />
      </h2>
      {found.length === 0 ? <p className="soft">{words.noDifference}</p> : <DifferenceList found={found} />}
    </section>
  );
}

async function findCrawl<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch {
    // No crawl has this name: there is nothing to compare with.
    return null;
  }
}

export function DifferenceList({ found }: { found: readonly Difference[] }) {
  const words = useTextOf(tryText);
  const { count } = useFormats();
  const shown = (value: unknown): string =>
    typeof value === 'number' ? count(value) : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <ul className="differences">
      {found.slice(0, mostShown).map(({ path, from, to }, n) => (
        <li key={n}>
          <code>{path}</code>
          {from === undefined ? <b>{words.added}</b> : to === undefined ? <b>{words.removed}</b> : null}
          {from === undefined ? null : <bdi className={to === undefined ? '' : 'soft'}>{shown(from)}</bdi>}
          {from === undefined || to === undefined ? null : <span>→</span>}
          {to === undefined ? null : <bdi>{shown(to)}</bdi>}
        </li>
      ))}
      {found.length > mostShown ? (
        <li className="soft">{words.moreDifferences(found.length - mostShown)}</li>
      ) : null}
    </ul>
  );
}
