import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Size } from './host-map.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const [closest, farthest] = [0.08, 1];

/** Which part of the map is in view: dragged with the pointer, zoomed with the wheel or with buttons. */
export function useViewBox(map: RefObject<SVGSVGElement | null>, { width, height }: Size) {
  const whole: Box = { x: 0, y: 0, width, height };
  const [box, setBox] = useState(whole);
  const drag = useRef<{ x: number; y: number; moved: number } | undefined>(undefined);
  useEffect(() => setBox({ x: 0, y: 0, width, height }), [width, height]);

  /** The place under these shares of width and height stays where it is. */
  function zoom(by: number, shareX = 0.5, shareY = 0.5): void {
    setBox((now) => {
      const next = Math.min(width * farthest, Math.max(width * closest, now.width * by));
      const factor = next / now.width;
      return {
        x: now.x + now.width * shareX * (1 - factor),
        y: now.y + now.height * shareY * (1 - factor),
        width: next,
        height: now.height * factor,
      };
    });
  }

  useEffect(() => {
    const element = map.current;
    if (!element) return;
    // A wheel over the map scrolls the page, unless it is meant to zoom: on a touchpad that is a pinch.
    function turn(event: WheelEvent): void {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = (event.currentTarget as Element).getBoundingClientRect();
      zoom(
        event.deltaY > 0 ? 1.15 : 1 / 1.15,
        (event.clientX - at.left) / at.width,
        (event.clientY - at.top) / at.height,
      );
    }
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  });

  return {
    viewBox: [box.x, box.y, box.width, box.height].join(' '),
    isWhole: box.width === width && box.x === 0 && box.y === 0,
    zoom,
    fit: () => setBox(whole),
    /** Whether the pointer has moved the map since it was pressed: that is no click on a host. */
    wasDragged: () => (drag.current?.moved ?? 0) > 4,
    handlers: {
      onPointerDown({ clientX, clientY }: React.PointerEvent) {
        drag.current = { x: clientX, y: clientY, moved: 0 };
      },
      onPointerMove({ clientX, clientY, buttons, pointerType }: React.PointerEvent) {
        const from = drag.current;
        if (!from || buttons === 0 || (pointerType === 'touch' && box.width === width)) return;
        const factor = box.width / (map.current?.clientWidth ?? box.width);
        const [dx, dy] = [clientX - from.x, clientY - from.y];
        drag.current = { x: clientX, y: clientY, moved: from.moved + Math.abs(dx) + Math.abs(dy) };
        setBox((now) => ({ ...now, x: now.x - dx * factor, y: now.y - dy * factor }));
      },
    },
  };
}
