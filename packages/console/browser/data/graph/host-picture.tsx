import { Button } from '@mantine/core';
import type { HostGraph } from '@webfarer/protocol/api';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { graphText } from '../../text/graph-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';
import { cutName, type Name, namesOf, type Size, type Spot, spotsOf } from './host-map.ts';
import type { Places } from './layout.ts';
import { textWidths } from './text-width.ts';
import { useViewBox } from './use-view-box.ts';

const mostNames = 30;
const categories = 8;

interface PictureProps {
  graph: HostGraph;
  places: Places;
  /** The host that is looked at, and those around it. */
  chosen: number | undefined;
  around: ReadonlySet<number>;
  choose: (at: number) => void;
}

/** Hosts and the links between them. Everything on it is in the table too, which is what is read aloud. */
export function HostPicture({ graph, places, chosen, around, choose }: PictureProps) {
  const words = useTextOf(graphText);
  const { count } = useFormats();
  const [room, size] = useRoom();
  const [widthOf] = useState(textWidths);
  const map = useRef<SVGSVGElement>(null);
  const spots = useMemo(() => spotsOf(graph, places, size), [graph, places, size]);
  const { viewBox, zoom, fit, wasDragged, handlers } = useViewBox(map, size);
  const names = useMemo(
    () =>
      namesOf(spots, chosen === undefined ? spots.keys() : [chosen, ...around], {
        ...size,
        most: mostNames,
        widthOf,
      }),
    [spots, size, widthOf, chosen, around],
  );
  const shown = graph.links.reduce((sum, [, , n]) => sum + n, 0);
  return (
    <div className="host-map" ref={room}>
      <svg
        ref={map}
        viewBox={viewBox}
        role="img"
        aria-label={words.label(count(graph.hosts.length), count(shown))}
        className={chosen === undefined ? '' : 'dim'}
        onClick={(event) => {
          const at = (event.target as Element).getAttribute('data-at');
          if (at !== null && !wasDragged()) choose(Number(at));
        }}
        {...handlers}
      >
        <Ties spots={spots} links={graph.links} />
        {chosen === undefined ? null : (
          <path className="own" d={graph.links.filter(isOf(chosen)).map(lineOf(spots)).join('')} />
        )}
        <Dots spots={spots} chosen={chosen} around={around} />
        <Names spots={spots} names={names} />
      </svg>
      <div className="map-tools">
        <Button variant="default" size="compact-sm" aria-label={words.zoomIn} onClick={() => zoom(1 / 1.4)}>
          +
        </Button>
        <Button variant="default" size="compact-sm" aria-label={words.zoomOut} onClick={() => zoom(1.4)}>
          −
        </Button>
        <Button variant="default" size="compact-sm" onClick={fit}>
          {words.fit}
        </Button>
      </div>
    </div>
  );
}

const isOf =
  (at: number) =>
  ([from, to]: readonly [number, number, number]): boolean =>
    from === at || to === at;

const round = (value: number): number => Math.round(value * 10) / 10;

const lineOf =
  (spots: readonly Spot[]) =>
  ([from, to]: readonly [number, number, number]): string => {
    const [a, b] = [spots[from], spots[to]];
    return a && b ? `M${round(a.x)} ${round(a.y)}L${round(b.x)} ${round(b.y)}` : '';
  };

/** One path for all: thousands of elements would be slow to move. */
const Ties = memo(function Ties({ spots, links }: { spots: readonly Spot[]; links: HostGraph['links'] }) {
  return <path className="tie" d={links.map(lineOf(spots)).join('')} />;
});

interface DotsProps {
  spots: readonly Spot[];
  chosen: number | undefined;
  around: ReadonlySet<number>;
}

/** What was crawled stands on top. */
const Dots = memo(function Dots({ spots, chosen, around }: DotsProps) {
  const order = [...spots.keys()].toSorted(
    (a, b) => Number(spots[a]?.node.crawled) - Number(spots[b]?.node.crawled) || b - a,
  );
  return order.map((at) => {
    const spot = spots[at];
    if (!spot) return null;
    const { node, x, y, radius } = spot;
    const marks = [
      `c${node.group % categories}`,
      node.crawled ? '' : 'outside',
      at === chosen ? 'on' : '',
      at === chosen || around.has(at) ? 'near' : '',
    ];
    return (
      <circle
        key={at}
        data-at={at}
        className={`host ${marks.join(' ')}`}
        cx={round(x)}
        cy={round(y)}
        r={round(radius)}
      >
        <title>{node.host}</title>
      </circle>
    );
  });
});

const Names = memo(function Names({ spots, names }: { spots: readonly Spot[]; names: readonly Name[] }) {
  return names.map(({ at, x, y }) => (
    <text key={at} x={round(x)} y={round(y)}>
      {cutName(spots[at]?.node.host ?? '')}
    </text>
  ));
});

/** As wide as its room, so that names are as large on a phone as elsewhere. */
function useRoom() {
  const room = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 800, height: 560 });
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      const width = Math.max(200, Math.round(element.clientWidth));
      setSize((now) =>
        now.width === width ? now : { width, height: Math.min(620, Math.max(380, width * 0.7)) },
      );
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [room, size] as const;
}
