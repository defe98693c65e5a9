import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { ListedCrawl } from '@webfarer/protocol/api';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CrawlCard, WaitingCard } from './crawl-card.tsx';

const leastWidth = 330;
const gap = 16;
/**
 * Of a card of a crawl that is over, as most are; the true one is measured. A guess that is too high leaves holes between rows until
 * they are.
 */
const usualHeight = 148;

interface CrawlGridProps {
  count: number;
  /** Undefined: on its way. */
  at: (index: number) => ListedCrawl | undefined;
  /** These places are in sight. */
  show: (first: number, last: number) => void;
}

/** Cards in rows, of which only those in sight exist: ten thousand crawls cost what a screenful does. */
export function CrawlGrid({ count, at, show }: CrawlGridProps) {
  const list = useRef<HTMLDivElement>(null);
  const [{ columns, top }, setPlace] = useState({ columns: 1, top: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const { width, top } = element.getBoundingClientRect();
      setPlace({
        columns: Math.max(1, Math.floor((width + gap) / (leastWidth + gap))),
        top: top + window.scrollY,
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // The form above may grow and push the list down.
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);

  const rows = useWindowVirtualizer({
    count: Math.ceil(count / columns),
    estimateSize: () => usualHeight + gap,
    // Rows on both sides of the screen, so that turning the wheel fast shows no empty place.
    overscan: 3,
    scrollMargin: top,
  });

  const inSight = rows.getVirtualItems();
  const first = (inSight[0]?.index ?? 0) * columns;
  const last = ((inSight.at(-1)?.index ?? 0) + 1) * columns - 1;
  useEffect(() => show(first, last), [show, first, last]);

  return (
    <div ref={list} className="grid-room" role="list" style={{ height: rows.getTotalSize() }}>
      {inSight.map(({ index, key, start }) => (
        <div
          key={key}
          ref={rows.measureElement}
          data-index={index}
          role="presentation"
          className="grid-row"
          style={{
            transform: `translateY(${start - top}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {Array.from({ length: Math.min(columns, count - index * columns) }, (_, n) => {
            const crawl = at(index * columns + n);
            return crawl ? <CrawlCard key={crawl.id} crawl={crawl} /> : <WaitingCard key={`waiting ${n}`} />;
          })}
        </div>
      ))}
    </div>
  );
}
