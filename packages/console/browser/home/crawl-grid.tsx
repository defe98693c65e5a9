import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { CrawlCard } from './crawl-card.tsx';
import type { ListedCrawl } from './use-crawl-list.ts';

const leastWidth = 330;
const gap = 16;
/**
 * Of a card of a crawl that is over, as most are; the true one is measured. A guess that is too high leaves holes between rows until
 * they are.
 */
const usualHeight = 148;

/** Cards in rows, of which only those in sight exist: ten thousand crawls cost what a screenful does. */
export function CrawlGrid({ crawls }: { crawls: readonly ListedCrawl[] }) {
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
    count: Math.ceil(crawls.length / columns),
    estimateSize: () => usualHeight + gap,
    // Rows on both sides of the screen, so that turning the wheel fast shows no empty place.
    overscan: 3,
    scrollMargin: top,
  });

  return (
    <div ref={list} className="grid-room" role="list" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index, key, start }) => (
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
          {crawls.slice(index * columns, (index + 1) * columns).map((crawl) => (
            <CrawlCard key={crawl.id} crawl={crawl} />
          ))}
        </div>
      ))}
    </div>
  );
}
