import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CutUrl } from '../parts/cut-url.tsx';
import { Problem } from '../parts/notices.tsx';
import { dataText } from '../text/data-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import type { UrlList } from '../urls/url-list.ts';
import { useListRows } from '../urls/use-list-rows.ts';
import { fieldOf, type ItemColumns, shortValue } from './item-columns.ts';
import type { ItemRow } from './item-log.ts';

/** Fields in sight: more would leave none of them room to be read. */
const mostShown = 6;

interface ItemTableProps {
  crawl: string;
  list: UrlList<ItemRow>;
  columns: ItemColumns;
}

export function ItemTable({ crawl, list, columns }: ItemTableProps) {
  const { items: words } = useTextOf(dataText);
  const room = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ItemRow>();
  const { count: found, isWhole } = list.state();
  const { rows, shown, top, height } = useListRows(list, found, room);
  const names = columns.shownNames();
  const fields = names.slice(0, mostShown);
  const grid = {
    gridTemplateColumns: `repeat(${Math.max(1, fields.length)}, minmax(0, 1fr)) minmax(0, 1fr)`,
  };
  const more = names.length - fields.length;

  return (
    <>
      {more > 0 ? (
        <p className="soft small">{(columns.isCut() ? words.manyFields : words.moreFields)(String(more))}</p>
      ) : null}
      <div
        className="panel data-table"
        role="table"
        aria-label={words.title}
        aria-rowcount={isWhole ? found + 1 : -1}
      >
        <div role="rowgroup" className="data-columns">
          <div role="row" aria-rowindex={1} className="data-row" style={grid}>
            {fields.map((name) => (
              <span key={name} role="columnheader" className="cell" title={name}>
                <bdi>{name}</bdi>
              </span>
            ))}
            <span role="columnheader">{words.page}</span>
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
                className="data-row"
                style={{ ...grid, transform: `translateY(${start - top}px)`, height }}
              >
                {row === undefined ? (
                  <span role="cell" className="soft">
                    {words.loading}
                  </span>
                ) : (
                  <Cells crawl={crawl} row={row} fields={fields} open={() => setOpen(row)} />
                )}
              </div>
            );
          })}
        </div>
        <div role="rowgroup">
          <div role="row" className="urls-end">
            <span role="cell">
              <End list={list} />
            </span>
          </div>
        </div>
      </div>
      {open === undefined ? null : <WholeItem crawl={crawl} row={open} close={() => setOpen(undefined)} />}
    </>
  );
}

interface CellsProps {
  crawl: string;
  row: ItemRow;
  fields: readonly string[];
  open: () => void;
}

function Cells({ crawl, row, fields, open }: CellsProps) {
  const { items: words } = useTextOf(dataText);
  return (
    <>
      {fields.map((name, at) => {
        const text = shortValue(fieldOf(row.item, name));
        return (
          <span key={name} role="cell" className="cell" title={text}>
            {at === 0 ? (
              <button type="button" className="row-button" onClick={open}>
                <bdi>{text.trim() === '' ? words.show : text}</bdi>
              </button>
            ) : (
              <bdi>{text}</bdi>
            )}
          </span>
        );
      })}
      <span role="cell" className="cell page-cell">
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url: row.url }} preload={false}>
          <CutUrl url={row.url} />
        </Link>
      </span>
    </>
  );
}

/** What comes behind the last row: never nothing, so that a list that is still read is not taken for a whole one. */
function End({ list }: { list: UrlList<ItemRow> }) {
  const { items: words } = useTextOf(dataText);
  const { count } = useFormats();
  const { count: found, searched, isWhole, halt, error } = list.state();
  if (isWhole) return words.end(count(found));
  if (halt === 'full') return words.full(count(found));
  const goOn = (
    <Button variant="default" size="compact-sm" onClick={() => list.goOn()}>
      {words.goOn}
    </Button>
  );
  if (error !== undefined)
    return (
      <>
        <Problem error={error} /> {goOn}
      </>
    );
  if (halt === 'nothing')
    return (
      <>
        {words.halted(count(searched))} {goOn}
      </>
    );
  return words.looking(count(searched));
}

function WholeItem({ crawl, row, close }: { crawl: string; row: ItemRow; close: () => void }) {
  const { items: words, copy } = useTextOf(dataText);
  return (
    <Modal
      opened
      onClose={close}
      size="xl"
      title={words.whole}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <p className="item-from">
        {words.from}{' '}
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url: row.url }} preload={false}>
          <bdi dir="ltr">{row.url}</bdi>
        </Link>
      </p>
      <pre className="code item-whole" tabIndex={0} aria-label={words.whole}>
        {JSON.stringify(row.item, undefined, 2)}
      </pre>
      <div className="modal-foot">
        <Button
          variant="default"
          onClick={() => void navigator.clipboard.writeText(JSON.stringify(row.item, undefined, 2))}
        >
          {copy.copy}
        </Button>
        <Button onClick={close}>{words.close}</Button>
      </div>
    </Modal>
  );
}
