import { useReasonWords } from '../parts/reason-words.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import { type Figures, reasonsOf, type UrlsSearch } from '../api/url-search.ts';

interface ReasonChipsProps {
  search: UrlsSearch;
  figures: Figures | undefined;
  choose: (search: UrlsSearch) => void;
}

/** Why URLs failed or were refused, in words and with counts that add up to the tab; each is a filter. */
export function ReasonChips({ search, figures, choose }: ReasonChipsProps) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const because = useReasonWords();
  if (search.state === undefined) return null;
  const rows = reasonsOf(search.state)
    .map((reason) => ({ reason, n: figures?.byReason[reason] ?? 0 }))
    .filter(({ reason, n }) => n > 0 || reason === search.reason)
    .toSorted((a, b) => b.n - a.n);
  if (rows.length === 0) return null;
  const { reason: chosen, ...without } = search;
  return (
    <div className="chips" role="group" aria-label={words.reasons}>
      {rows.map(({ reason, n }) => (
        <button
          key={reason}
          type="button"
          className="chip"
          aria-pressed={reason === chosen}
          title={reason}
          onClick={() => choose(reason === chosen ? without : { ...search, reason })}
        >
          {because(reason)}
          <b>{count(n)}</b>
        </button>
      ))}
    </div>
  );
}
