import { useCallback } from 'react';
import { useConnected } from '../api/connected.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { dataText } from '../text/data-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { CopyLine } from '../parts/copy-line.tsx';
import { FoundList } from './found-list.tsx';
import { createItemColumns } from './item-columns.ts';
import { exportItems, itemFetcher } from './item-log.ts';
import { ItemTable } from './item-table.tsx';

/** What scrapers returned, as a table whose columns are the fields of the items. */
export function Items({ crawl }: { crawl: string }) {
  const { items: words } = useTextOf(dataText);
  const { client } = useConnected();
  const open = useCallback(
    (q: string) => {
      const columns = createItemColumns();
      return { options: { fetchPage: itemFetcher({ client, crawl, q, columns }) }, more: columns };
    },
    [client, crawl],
  );
  return (
    <FoundList
      crawl={crawl}
      view="items"
      words={words}
      open={open}
      exported={(q, options) => exportItems({ client, crawl, q }, options)}
      elsewhere={null}
      nothing={() => <NoItems />}
      table={(list, columns) => <ItemTable crawl={crawl} list={list} columns={columns} />}
    />
  );
}

/** Teaches how a crawl comes to have items. */
function NoItems() {
  const { items: words } = useTextOf(dataText);
  return (
    <EmptyState title={words.empty}>
      <p>{words.emptyLead}</p>
      <CopyLine text={words.emptyCommand} />
      <p className="soft">{words.emptyMore}</p>
    </EmptyState>
  );
}
