import { type ReactNode, useEffect, useRef } from 'react';

interface TabRowProps {
  label: string;
  /** The chosen tab: when it changes, it is brought into sight. */
  current: string;
  /** Links with the class `tab`; the chosen one has `aria-current`. */
  children: ReactNode;
}

/** Tabs in one row. Where they are wider than the screen the row scrolls, and fades on the sides on which there are more. */
export function TabRow({ label, current, children }: TabRowProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (row.current) showChosen(row.current);
  }, [current]);
  useEffect(() => {
    const all = row.current;
    if (!all) return undefined;
    const tell = () => (all.dataset['more'] = moreIn(all));
    const watcher = new ResizeObserver(() => {
      showChosen(all);
      tell();
    });
    watcher.observe(all);
    all.addEventListener('scroll', tell, { passive: true });
    return () => {
      watcher.disconnect();
      all.removeEventListener('scroll', tell);
    };
  }, []);
  // Counts in the tabs make them wider.
  useEffect(() => {
    if (row.current) row.current.dataset['more'] = moreIn(row.current);
  });
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}

function showChosen(row: HTMLElement): void {
  const chosen = row.querySelector<HTMLElement>('[aria-current]');
  if (chosen) row.scrollLeft = chosen.offsetLeft - row.clientWidth / 2 + chosen.clientWidth / 2;
}

/** On which sides tabs are out of sight. */
export function moreIn(row: Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>): string {
  const after = row.scrollWidth - row.clientWidth - row.scrollLeft;
  // Sizes on screens with fractions of pixels are rounded.
  return [...(row.scrollLeft > 1 ? ['before'] : []), ...(after > 1 ? ['after'] : [])].join(' ');
}
