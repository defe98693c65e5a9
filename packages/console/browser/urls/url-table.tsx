import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ShownUrl } from '@webfarer/protocol/api';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { useKeys } from '../parts/keys.ts';
import { CutUrl } from '../parts/cut-url.tsx';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { useReasonWords } from '../parts/reason-words.ts';
import { When } from '../parts/when.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import type { UrlList } from './url-list.ts';
import type { UrlsSearch } from '../api/url-search.ts';
import { useListRows } from './use-list-rows.ts';

interface UrlTableProps {
  crawl: string;
  list: UrlList;
  search: UrlsSearch;
  /** Of all its URLs. */
  errorAnswers: number;
  clear: () => void;
}

/** Rows of which only those in sight exist; the list behind them is read on while a person scrolls. */
export function UrlTable({ crawl, list, search, errorAnswers, clear }: UrlTableProps) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const room = useRef<HTMLDivElement>(null);
  const { count: found, searched, isWhole, error } = list.state();
  const { rows, shown, top, height } = useListRows(list, found, room);
  const { move, onKeyDown } = useRowKeys(room, found, (index) => rows.scrollToIndex(index));
  const isWaiting = search.state === 'queued' || search.state === 'leased';

  if (isWhole && found === 0) return <NothingFound {...{ crawl, search, searched, errorAnswers, clear }} />;
  return (
    <div
      className={`panel urls-table ${isWaiting ? 'waits' : ''}`}
      role="table"
      aria-label={words.title}
      aria-rowcount={isWhole ? found + 1 : -1}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className="urls-columns">
        <div role="row" aria-rowindex={1} className="urls-row">
          <span role="columnheader">{words.list.url}</span>
          <span role="columnheader">{isWaiting ? words.list.foundOn : words.list.outcome}</span>
          {isWaiting ? null : (
            <span role="columnheader" className="num">
              {words.list.status}
            </span>
          )}
          <span role="columnheader" className="num">
            {words.list.depth}
          </span>
          <span role="columnheader" className="num">
            {words.list.tries}
          </span>
          {isWaiting ? null : (
            <>
              <span role="columnheader" className="num">
                {words.list.size}
              </span>
              <span role="columnheader" className="num">
                {words.list.when}
              </span>
            </>
          )}
        </div>
      </div>
      <div ref={room} role="rowgroup" className="urls-room" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => (
          <div
            key={index}
            role="row"
            aria-rowindex={index + 2}
            data-row={index}
            className="urls-row"
            style={{ transform: `translateY(${start - top}px)`, height }}
            onFocus={() => move(index)}
          >
            <Row crawl={crawl} url={list.row(index)} isWaiting={isWaiting} />
          </div>
        ))}
      </div>
      <div role="rowgroup">
        <div role="row" className="urls-end">
          <span role="cell">
            {error === undefined ? <End list={list} /> : <Problem error={error} />}
            {error === undefined ? null : (
              <Button variant="default" size="compact-sm" onClick={() => list.goOn()}>
                {words.list.goOn}
              </Button>
            )}
            <span className="unseen">{count(found)}</span>
          </span>
        </div>
      </div>
    </div>
  );
}

/** What comes behind the last row: never nothing, so that a list that is still searched is not taken for a whole one. */
function End({ list }: { list: UrlList }) {
  const { list: words } = useText().urls;
  const { count } = useFormats();
  const { count: found, searched, isWhole, isAsking, halt } = list.state();
  if (isWhole) return words.end(count(found));
  if (halt === 'full') return words.full(count(found));
  if (halt === 'nothing')
    return (
      <>
        {words.halted(count(searched))}{' '}
        <Button variant="default" size="compact-sm" onClick={() => list.goOn()}>
          {words.goOn}
        </Button>
      </>
    );
  return isAsking || found === 0 ? words.looking(count(searched)) : words.more;
}

function Row({ crawl, url, isWaiting }: { crawl: string; url: ShownUrl | undefined; isWaiting: boolean }) {
  const { urls: words } = useText();
  const { count, bytes } = useFormats();
  if (url === undefined)
    return (
      <span role="cell" className="soft">
        {words.list.loading}
      </span>
    );
  const { state, status, depth, attempts, startedAtMs } = url;
  return (
    <>
      <span role="cell" className="url-cell">
        <i className={state} title={words.states[state]} aria-hidden="true" />
        <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url: url.url }} preload={false}>
          <CutUrl url={url.url} />
        </Link>
        {url.method === undefined ? null : <code>{url.method}</code>}
      </span>
      <span role="cell" className="outcome-cell">
        <Outcome url={url} isWaiting={isWaiting} />
      </span>
      {isWaiting ? null : (
        <span role="cell" className="num">
          {status ?? ''}
        </span>
      )}
      <span role="cell" className="num">
        {count(depth)}
      </span>
      <span role="cell" className="num">
        {count(attempts)}
      </span>
      {isWaiting ? null : (
        <>
          <span role="cell" className="num">
            {url.bytes === undefined || url.bytes === 0 ? '' : bytes(url.bytes)}
          </span>
          <span role="cell" className="num">
            {startedAtMs === undefined || startedAtMs === 0 ? '' : <When atMs={startedAtMs} clock />}
          </span>
        </>
      )}
    </>
  );
}

function Outcome({ url, isWaiting }: { url: ShownUrl; isWaiting: boolean }) {
  const { urls: words } = useText();
  const because = useReasonWords();
  const { state, reason, detail, referrer } = url;
  if (isWaiting) return referrer === undefined ? words.list.seed : <CutUrl url={referrer} />;
  if (reason === undefined) return words.states[state];
  const said = because(reason);
  return (
    <bdi title={detail === undefined ? said : `${said}: ${detail}`}>
      {said}
      {detail === undefined ? null : <span className="soft"> {detail}</span>}
    </bdi>
  );
}

function NothingFound({
  crawl,
  search,
  searched,
  errorAnswers,
  clear,
}: Omit<UrlTableProps, 'list'> & { searched: number }) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const { state, ...more } = search;
  if (Object.keys(more).length > 0)
    return (
      <EmptyState title={words.list.none}>
        <p>{words.list.noneLead(count(searched))}</p>
        <Button variant="default" onClick={clear}>
          {words.filters.clear}
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState title={state ? words.list.noneIn[state] : words.list.noneYet}>
      {state === 'failed' && errorAnswers > 0 ? (
        <p>
          {words.list.failedLead(count(errorAnswers))}{' '}
          <Link to="/crawls/$crawl/urls" params={{ crawl }} search={{ state: 'done', reason: 'http-4xx' }}>
            {words.list.failedShow}
          </Link>
        </p>
      ) : (
        <p>{state ? words.list.noneInLead : words.list.noneYetLead}</p>
      )}
    </EmptyState>
  );
}

/** `j` and `k` from anywhere on the screen, arrows inside the table: the next or previous URL; Enter opens it. */
function useRowKeys(
  room: React.RefObject<HTMLDivElement | null>,
  found: number,
  scrollTo: (index: number) => void,
) {
  const at = useRef(-1);
  const keys = useMemo(() => {
    const go = (by: number) => {
      const index = Math.min(found - 1, Math.max(0, at.current + by));
      if (found === 0) return;
      at.current = index;
      scrollTo(index);
      requestAnimationFrame(() =>
        room.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`)?.focus({ preventScroll: true }),
      );
    };
    return { j: () => go(1), k: () => go(-1) };
    // The virtualizer is the same one at every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [room, found]);
  useKeys(keys);
  return {
    move: (index: number) => void (at.current = index),
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      if (event.key === 'ArrowDown') keys.j();
      else keys.k();
    },
  };
}
