import { TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useLayoutEffect, useRef, useState } from 'react';
import { useConnection } from '../api/connected.tsx';
import { Loupe } from '../parts/icons.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { State } from './coordinators.tsx';
import { CordonActions } from './cordon-actions.tsx';
import { cpuOf, diskOf, memoryOf, Received, Share } from './machine-use.tsx';
import type { Fleet, Worker } from './use-fleet.ts';

const rowHeight = 46;

/** A table of which only the rows in sight exist. */
export function Workers({ fleet, all }: { fleet: Fleet; all: number }) {
  const { fleet: words, none } = useText();
  const { count } = useFormats();
  const connection = useConnection();
  const { q = '' } = useSearch({ from: '/network' });
  const [search, setSearch] = useState(q);
  const wanted = useDeferredValue(search).trim().toLowerCase();
  const shown = fleet.workers.filter(
    ({ worker, address }) => wanted === '' || `${worker} ${address}`.toLowerCase().includes(wanted),
  );
  const isPart = fleet.workers.length < all && connection.state === 'live';
  return (
    <section aria-labelledby="workers">
      <div className="list-head">
        <h2 id="workers">{words.workers}</h2>
        <span className="soft" role="status">
          {words.shown(count(shown.length), count(fleet.workers.length))}
          {isPart ? ` · ${words.ofThisOne(connection.coordinator, count(all))}` : ''}
        </span>
        <TextInput
          className="search"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<Loupe />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 ? <p className="soft">{fleet.isWhole ? words.noWorkers : none}</p> : null}
      {shown.length > 0 ? <Table workers={shown} fleet={fleet} /> : null}
    </section>
  );
}

function Table({ workers, fleet }: { workers: readonly Worker[]; fleet: Fleet }) {
  const { fleet: words } = useText();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: workers.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
  });
  const columns = [
    words.worker,
    words.state,
    words.held,
    words.rate,
    words.cpu,
    words.memory,
    words.disk,
    words.received,
    words.actionsTitle,
  ];
  return (
    <div className="panel workers" role="table" aria-labelledby="workers" aria-rowcount={workers.length + 1}>
      <div role="row" className="worker-row head" aria-rowindex={1}>
        {columns.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      <div ref={list} role="rowgroup" className="grid-room" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const worker = workers[index];
          if (!worker) return null;
          return (
            <div
              key={worker.worker}
              role="row"
              aria-rowindex={index + 2}
              className="worker-row"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <Cells worker={worker} fleet={fleet} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ worker, fleet }: { worker: Worker; fleet: Fleet }) {
  const { fleet: words } = useText();
  const { count, rate } = useFormats();
  const frame = fleet.frameOf('worker', worker.worker);
  return (
    <>
      <span role="cell" className="name" title={`${worker.worker} ${worker.address} ${worker.version}`}>
        <bdi>{worker.worker}</bdi>
      </span>
      <span role="cell" title={worker.pause?.text}>
        <State cordon={worker.cordon} isPaused={worker.pause !== undefined} />
      </span>
      <span role="cell" className="num">
        {count(worker.held)} / {count(worker.connections)}
      </span>
      <span role="cell" className="num">
        {rate(worker.pagesPerSecond)}
      </span>
      <span role="cell">
        <Share of={cpuOf(frame)} label={words.cpu} />
      </span>
      <span role="cell">
        <Share of={memoryOf(frame)} label={words.memory} />
      </span>
      <span role="cell">
        <Share of={diskOf(frame)} label={words.disk} />
      </span>
      <span role="cell" className="num">
        <Received frame={frame} />
      </span>
      <span role="cell">
        <CordonActions kind="worker" id={worker.worker} cordon={worker.cordon} />
      </span>
    </>
  );
}
