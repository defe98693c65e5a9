import type { Page, Scraper, Tools } from './scraper.ts';

/** A handler for each label. `default` has pages without a label and with any other one. */
export type Routes<Item> = { readonly default?: Scraper<Item> } & Readonly<Record<string, Scraper<Item>>>;

/** One handler made of one for each label. A page that none is for fails: it is never passed over in silence. */
export function router<Item = unknown>(routes: Routes<Item>): Scraper<Item> {
  const known = new Map(Object.entries(routes));
  return (page: Page, tools: Tools<Item>) => {
    const { label } = page;
    const handler = (label === undefined ? undefined : known.get(label)) ?? known.get('default');
    if (handler) return handler(page, tools);
    const labels = [...known.keys()].join(', ');
    throw new Error(
      `no handler for ${label === undefined ? 'a page without a label' : `the label ${label}`}: the router has ${labels}`,
    );
  };
}
