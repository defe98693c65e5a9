import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { CutUrl } from '../parts/cut-url.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { textsText } from '../text/texts-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { hiddenWhy, readMarkdown, readWholeText } from '../url/read-saved.ts';
import { Plain, SavedProblem, Why } from '../url/saved-text.tsx';
import { handOver } from '../urls/export-menu.tsx';
import type { UrlList } from '../urls/url-list.ts';
import { ListTable } from './list-table.tsx';
import { textFileName, type TextRow } from './text-log.ts';

export function TextTable({ crawl, list }: { crawl: string; list: UrlList<TextRow> }) {
  const words = useTextOf(textsText);
  const [open, setOpen] = useState<TextRow>();
  return (
    <>
      <ListTable
        list={list}
        label={words.title}
        words={words}
        rowClass="text-row"
        heads={
          <>
            <span role="columnheader">{words.pageTitle}</span>
            <span role="columnheader">{words.page}</span>
            <span role="columnheader">{words.language}</span>
            <span role="columnheader" className="num">
              {words.size}
            </span>
            <span role="columnheader" className="num">
              {words.fetched}
            </span>
          </>
        }
        cells={(row) => <Cells crawl={crawl} row={row} open={() => setOpen(row)} />}
      />
      {open === undefined ? null : <OneText crawl={crawl} row={open} close={() => setOpen(undefined)} />}
    </>
  );
}

function Cells({ crawl, row, open }: { crawl: string; row: TextRow; open: () => void }) {
  const words = useTextOf(textsText);
  const { bytes } = useFormats();
  const { url, title, language, fetchedAtMs } = row;
  return (
    <>
      <span role="cell" className="cell" title={title}>
        <button type="button" className="row-button" onClick={open}>
          <bdi>{title.trim() === '' ? words.untitled : title}</bdi>
        </button>
      </span>
      <span role="cell" className="cell page-cell">
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url }} preload={false}>
          <CutUrl url={url} />
        </Link>
      </span>
      <span role="cell" className="cell soft" title={language}>
        <bdi>{language}</bdi>
      </span>
      <span role="cell" className="num soft">
        {row.bytes === undefined ? '' : bytes(row.bytes)}
      </span>
      <span role="cell" className="num soft">
        <When atMs={fetchedAtMs} />
      </span>
    </>
  );
}

/** One text as the crawl wrote it: never more than text here. */
function OneText({ crawl, row, close }: { crawl: string; row: TextRow; close: () => void }) {
  const words = useTextOf(textsText);
  const { loading } = useText();
  const { bytes } = useFormats();
  const { client } = useConnected();
  const { url, title, language, fetchedAtMs, saved } = row;
  const place = { client, crawl, charset: 'utf-8' };
  const [isLoading, setLoading] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const hidden = hiddenWhy(saved);
  const { data, error } = useQuery({
    queryKey: ['text', crawl, url, fetchedAtMs],
    enabled: hidden === undefined,
    retry: false,
    gcTime: 30_000,
    queryFn: () => readMarkdown(saved, place),
  });

  async function download(): Promise<void> {
    setFailed(undefined);
    setLoading(true);
    try {
      const text = await readWholeText(saved, place);
      handOver(new Blob([text], { type: 'application/octet-stream' }), textFileName(row));
    } catch (problem) {
      setFailed(problem);
    }
    setLoading(false);
  }

  return (
    <Modal
      opened
      onClose={close}
      size="xl"
      title={<bdi className="text-title">{title.trim() === '' ? words.untitled : title}</bdi>}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <p className="item-from">
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url }} preload={false}>
          <bdi dir="ltr">{url}</bdi>
        </Link>
      </p>
      <p className="soft small text-facts">
        {row.bytes === undefined ? null : <span>{bytes(row.bytes)}</span>}
        {language === '' ? null : <bdi>{language}</bdi>}
        <When atMs={fetchedAtMs} />
        <bdi dir="ltr">{saved.file}</bdi>
      </p>
      {hidden ? <Why hidden={hidden} /> : null}
      {data ? <Plain {...data} className="item-whole" /> : null}
      {error ? <SavedProblem error={error} saved={saved} /> : null}
      {hidden || data || error ? null : <p className="soft">{loading}</p>}
      {failed === undefined ? null : <Problem error={failed} />}
      <div className="modal-foot">
        <Button
          variant="default"
          loading={isLoading}
          disabled={hidden?.why === 'shared' || error !== null}
          onClick={() => void download()}
        >
          {words.download}
        </Button>
        <Button onClick={close}>{words.close}</Button>
      </div>
    </Modal>
  );
}
