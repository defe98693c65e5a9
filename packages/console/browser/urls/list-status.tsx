import { When } from '../parts/when.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import type { UrlList } from './url-list.ts';
import { countIn, type Figures, type UrlsSearch } from '../api/url-search.ts';

interface ListStatusProps {
  list: UrlList;
  search: UrlsSearch;
  figures: Figures | undefined;
  atMs: number;
}

/** How many were found, how far the search has come, and when it was made: the list does not move by itself. */
export function ListStatus({ list, search, figures, atMs }: ListStatusProps) {
  const { list: words } = useText().urls;
  const { count } = useFormats();
  const { count: found, searched, isWhole } = list.state();
  const counted = countIn(search, figures);
  const many = isWhole || counted === undefined ? found : Math.max(counted, found);
  const isSoFar = !isWhole && counted === undefined;
  return (
    <p className="soft" role="status">
      <b>{isSoFar ? words.soFar(words.found(count(many))) : words.found(count(many))}</b>
      {searched > found || isSoFar ? ` · ${words.lookedAt(count(searched))}` : ''}
      {' · '}
      {words.asOf} <When atMs={atMs} clock />
    </p>
  );
}
