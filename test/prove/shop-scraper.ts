import type { Page, Tools } from '@webfarer/worker';

/** A page of the list of a category, as the shop is asked for it and as it answers. */
export interface ListPlace {
  category: number;
  page: number;
}
export interface ListAnswer {
  products: string[];
  next?: number;
}

/** What the shop wants to see in a request for a list. */
export const listHeader = 'X-Shop';

/** Collects products by their label, as the example in the README does; also from lists that are asked for by POST. */
export function onPage(page: Page, { follow, push }: Tools): void {
  const list = (place: ListPlace) =>
    follow('/list', { label: 'list', body: place, headers: { [listHeader]: 'yes' }, data: place });
  if (page.label === 'product') return push({ product: page.url, data: page.data });
  if (page.label === 'list') {
    const place = page.data as ListPlace;
    const { products, next } = page.json() as ListAnswer;
    push({ list: place });
    follow(products, { label: 'product', data: { category: place.category } });
    if (next !== undefined) list({ ...place, page: next });
    return;
  }
  follow(page.links.matching('/p/*'), { label: 'product' });
  follow(page.links.matching('/category/*'));
  const [, category] = /action="\/list" data-category="(\d+)"/.exec(page.source()) ?? [];
  if (category !== undefined) list({ category: Number(category), page: 1 });
}
