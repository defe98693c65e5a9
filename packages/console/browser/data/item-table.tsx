import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CutUrl } from '../parts/cut-url.tsx';
import { dataText } from '../text/data-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import type { UrlList } from '../urls/url-list.ts';
import { fieldOf, type ItemColumns, shortValue } from './item-columns.ts';
import type { ItemRow } from './item-log.ts';
import { ListTable } from './list-table.tsx';

/** Fields in sight: more would leave none of them room to be read. */
const mostShown = 6;

interface ItemTableProps {
  crawl: string;
  list: UrlList<ItemRow>;
  columns: ItemColumns;
}

export function ItemTable({ crawl, list, columns }: ItemTableProps) {
  const { items: words } = useTextOf(dataText);
  const [open, setOpen] = useState<ItemRow>();
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
      <ListTable
        list={list}
        label={words.title}
        words={words}
        rowStyle={grid}
        heads={
          <>
            {fields.map((name) => (
              <span key={name} role="columnheader" className="cell" title={name}>
                <bdi>{name}</bdi>
              </span>
            ))}
            <span role="columnheader">{words.page}</span>
          </>
        }
        cells={(row) => <Cells crawl={crawl} row={row} fields={fields} open={() => setOpen(row)} />}
      />
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
