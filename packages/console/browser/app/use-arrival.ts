import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';
import { followHeading } from './screen-title.ts';

/** Entries of the history whose place is remembered. */
const mostPlaces = 100;

interface Entry {
  state: { __TSR_key?: string };
}

/**
 * What a page of its own would do by itself: a screen that was just opened names the tab, begins at its top, and has the focus, so that a screen
 * reader reads it and the next Tab leads into it. Back leads to the place where one was.
 */
export function useArrival(main: RefObject<HTMLElement | null>, product: string): void {
  const router = useRouter();
  useEffect(() => (main.current ? followHeading(main.current, product) : undefined), [main, product]);
  useEffect(() => {
    const places = new Map<string, number>();
    const keyOf = (entry: Entry | undefined) => entry?.state.__TSR_key ?? '';
    const ends = [
      router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
        places.delete(keyOf(fromLocation));
        places.set(keyOf(fromLocation), window.scrollY);
        for (const [oldest] of [...places].slice(0, -mostPlaces)) places.delete(oldest);
      }),
      router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
        // A filter in the address is no other screen.
        if (!fromLocation || !pathChanged) return;
        window.scrollTo(0, places.get(keyOf(toLocation)) ?? 0);
        // A field of the new screen may have the focus already.
        if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [main, router]);
}
