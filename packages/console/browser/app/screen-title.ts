const separator = ' · ';

/** The title of a tab: what its screen is headed with, and the product; a screen without a heading has the product alone. */
export function titleOf(heading: string | null | undefined, product: string): string {
  const words = heading?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return words === '' ? product : `${words}${separator}${product}`;
}

/** Keeps the title of the tab as the heading of the screen is, which may come late and change. Answers how to end that. */
export function followHeading(main: HTMLElement, product: string): () => void {
  const tell = () => {
    const title = titleOf(main.querySelector('h1')?.textContent, product);
    if (document.title !== title) document.title = title;
  };
  tell();
  const observer = new MutationObserver(tell);
  observer.observe(main, { childList: true, subtree: true, characterData: true });
  return () => observer.disconnect();
}
