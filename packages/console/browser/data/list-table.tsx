import { Button } from '@mantine/core';
import { WebfarerError } from '@webfarer/protocol';
import { type CSSProperties, type ReactNode, useRef } from 'react';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import type { UrlList } from '../urls/url-list.ts';
import { useListRows } from '../urls/use-list-rows.ts';

export interface ListWords {
  loading: string;
  end(count: string): string;
  full(count: string): string;
  halted(searched: string): string;
  looking(searched: string): string;
  goOn: string;
}

interface ListAction {
  label: string;
  run: () => void;
}

interface ListTableProps<Row> {
  list: UrlList<Row>;
  label: string;
  words: ListWords;
  /** Undefined: known when the list is whole. */
  total?: number;
  /** Where the list cannot be read any further: begins what it is a list of anew. */
  anew?: ListAction;
  rowClass?: string;
  rowStyle?: CSSProperties;
  heads: ReactNode;
  cells(row: Row): ReactNode;
}

/** Rows of which only those in sight exist, with what comes behind the last of them. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { list, label, words, total, anew, rowClass = '', rowStyle, heads, cells } = props;
  const room = useRef<HTMLDivElement>(null);
  const { count: found, isWhole } = list.state();
  const { rows, shown, top, height } = useListRows(list, found, room);
  const many = total ?? (isWhole ? found : undefined);
  return (
    <div
      className="panel data-table"
      role="table"
      aria-label={label}
      aria-rowcount={many === undefined ? -1 : many + 1}
    >
      <div role="rowgroup" className="data-columns">
        <div role="row" aria-rowindex={1} className={`data-row ${rowClass}`} style={rowStyle}>
          {heads}
        </div>
      </div>
      <div ref={room} role="rowgroup" className="data-room" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = list.row(index);
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              className={`data-row ${rowClass}`}
              style={{ ...rowStyle, transform: `translateY(${start - top}px)`, height }}
            >
              {row === undefined ? (
                <span role="cell" className="soft">
                  {words.loading}
                </span>
              ) : (
                cells(row)
              )}
            </div>
          );
        })}
      </div>
      <div role="rowgroup">
        <div role="row" className="urls-end">
          <span role="cell">
            <ListEnd list={list} words={words} anew={anew} />
          </span>
        </div>
      </div>
    </div>
  );
}

/** Never nothing, so that a list that is still read, or failed, is not taken for a whole one. */
function ListEnd({
  list,
  words,
  anew,
}: {
  list: UrlList<unknown>;
  words: ListWords;
  anew: ListAction | undefined;
}) {
  const { tryAgain } = useText();
  const { count } = useFormats();
  const { count: found, searched, isWhole, halt, error } = list.state();
  if (error !== undefined)
    return (
      <>
        <Problem error={error} />
        {anew && error instanceof WebfarerError && error.code === 'cursor-stale' ? (
          <Action label={anew.label} run={anew.run} />
        ) : (
          <Action label={tryAgain} run={list.goOn} />
        )}
      </>
    );
  if (isWhole) return words.end(count(found));
  if (halt === 'full') return words.full(count(found));
  if (halt === 'nothing')
    return (
      <>
        {words.halted(count(searched))} <Action label={words.goOn} run={list.goOn} />
      </>
    );
  return words.looking(count(searched));
}

function Action({ label, run }: ListAction) {
  return (
    <Button variant="default" size="compact-sm" onClick={run}>
      {label}
    </Button>
  );
}
