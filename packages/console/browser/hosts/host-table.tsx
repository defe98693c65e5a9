import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { CrawlHost } from '@webfarer/protocol/api';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMayOperate } from '../api/connected.tsx';
import { hostsText } from '../text/hosts-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import type { HostSort, HostView } from './host-rows.ts';
import type { HostWish } from './host-wish.ts';

interface HostTableProps {
  crawl: string;
  rows: readonly CrawlHost[];
  view: HostView;
  sortBy: (sort: HostSort) => void;
  ask: (host: string, kind: HostWish['kind']) => void;
}

/** Of a row with a rule below its reason; the true one is measured. */
const usualHeight = 56;

/** Hosts in rows, of which only those in sight exist. */
export function HostTable({ crawl, rows, view, sortBy, ask }: HostTableProps) {
  const { hosts: words } = useText();
  const more = useTextOf(hostsText);
  const table = useRef<HTMLTableElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop((table.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    // A notice above may come and go.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => usualHeight,
    overscan: 8,
    scrollMargin: top,
  });
  const seen = virtual.getVirtualItems();
  const before = (seen[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((seen.at(-1)?.end ?? top) - top);
  const columns: { name: string; sort?: HostSort; isNumber?: true; means?: string }[] = [
    { name: words.host, sort: 'host' },
    { name: words.state },
    { name: words.why },
    { name: words.queued, sort: 'queued', isNumber: true },
    { name: more.pages, sort: 'pages', isNumber: true },
    { name: more.bytes, sort: 'bytes', isNumber: true },
    { name: more.troubles, sort: 'troubles', isNumber: true, means: more.troublesMean },
    { name: words.due, sort: 'due', isNumber: true },
  ];
  return (
    <div className="panel scroll host-room" tabIndex={0} role="group" aria-label={words.title}>
      <table ref={table} className="hosts">
        <thead>
          <tr>
            {columns.map(({ name, sort, isNumber, means }) => (
              <th
                key={name}
                className={isNumber ? 'num' : ''}
                title={means}
                aria-sort={sort === view.sort ? (view.down ? 'descending' : 'ascending') : undefined}
              >
                {sort ? (
                  <button type="button" className="sort" onClick={() => sortBy(sort)}>
                    {name}
                    <span aria-hidden="true">{sort === view.sort ? (view.down ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
            <th>
              <span className="unseen">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <Space height={before} /> : null}
          {seen.map(({ index }) => {
            const row = rows[index];
            return row ? (
              <HostRow
                key={row.host}
                crawl={crawl}
                row={row}
                index={index}
                measure={virtual.measureElement}
                ask={ask}
              />
            ) : null;
          })}
          {after > 0 ? <Space height={after} /> : null}
        </tbody>
      </table>
    </div>
  );
}

/** In place of the rows that do not exist. */
const Space = ({ height }: { height: number }) => (
  <tr aria-hidden="true">
    <td className="space" colSpan={9} style={{ height }} />
  </tr>
);

interface HostRowProps extends Pick<HostTableProps, 'crawl' | 'ask'> {
  row: CrawlHost;
  index: number;
  measure: (element: Element | null) => void;
}

function HostRow({ crawl, row, index, measure, ask }: HostRowProps) {
  const { hosts: words, waits } = useText();
  const more = useTextOf(hostsText);
  const { count, bytes: sizeOf, span } = useFormats();
  const mayOperate = useMayOperate();
  const { host, state, queued, pages, bytes, troubles, dueInMs, why, detail, rule } = row;
  const dueWords = (): string => {
    if (state === 'held') return words.now;
    if (state === 'refused' || state === 'dead') return words.never;
    return dueInMs <= 0 ? words.dueNow : words.dueIn(span(Math.ceil(dueInMs / 1_000) * 1_000));
  };
  // Of a host that is refused or due, what it last waited for says nothing.
  const because = state === 'waiting' || state === 'held' ? waits[why] : '';
  return (
    <tr ref={measure} data-index={index}>
      <td className="name">
        <Link
          to="/crawls/$crawl/urls"
          params={{ crawl }}
          search={{ host }}
          aria-label={more.urlsOf(host)}
          title={more.urlsOf(host)}
        >
          <bdi>{host}</bdi>
        </Link>
      </td>
      <td>
        <span className={`host-state ${state}`}>{words.states[state]}</span>
      </td>
      <td className="because">
        {because}
        {detail === undefined ? null : <bdi className="soft">{detail}</bdi>}
        {rule === undefined ? null : <bdi className="soft">{rule}</bdi>}
      </td>
      <td className="num" data-label={words.queued}>
        {count(queued)}
      </td>
      <td className="num" data-label={more.pages}>
        {count(pages)}
      </td>
      <td className="num" data-label={more.bytes}>
        {sizeOf(bytes)}
      </td>
      <td className={`num ${troubles > 0 ? 'troubled' : ''}`} data-label={more.troubles}>
        {count(troubles)}
      </td>
      <td className="num due" data-label={words.due}>
        {dueWords()}
      </td>
      <td className="row-actions">
        {mayOperate ? (
          <>
            <Button size="compact-sm" variant="default" onClick={() => ask(host, 'slow')}>
              {words.slow}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask(host, 'block')}>
              {words.block}
            </Button>
          </>
        ) : null}
      </td>
    </tr>
  );
}
