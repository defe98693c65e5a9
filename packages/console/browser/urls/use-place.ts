import { type RefObject, useLayoutEffect, useState } from 'react';

const narrow = '(max-width: 48rem)';

/** Where on the page the rows of a list begin, and how high one is: on a phone a row has more lines. */
export function usePlace(
  room: RefObject<HTMLDivElement | null>,
  { wide = 40, tall = 64 } = {},
): { top: number; height: number } {
  const [place, setPlace] = useState({ top: 0, height: wide });
  useLayoutEffect(() => {
    const measure = () => {
      const top = room.current ? room.current.getBoundingClientRect().top + window.scrollY : 0;
      const height = matchMedia(narrow).matches ? tall : wide;
      setPlace((before) => (before.top === top && before.height === height ? before : { top, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [room, wide, tall]);
  return place;
}
