import { spendNode, withinBudget } from '../tree/budget.ts';
import {
  type Feed,
  type FeedEntry,
  type FeedPlace,
  htmlNodes,
  plainNodes,
  plainText,
  webAddress,
} from './feed-tree.ts';

/** Elements and texts that each entry has, beside its content. */
const nodesOfEntry = 8;

/** A JSON feed, known by the address of its version. Undefined for other JSON. */
export function readJsonFeed(value: unknown, place: FeedPlace): Feed | undefined {
  if (!isObject(value) || !/^https?:\/\/jsonfeed\.org\/version\//.test(textIn(value, 'version')))
    return undefined;
  const link = webAddress(textIn(value, 'home_page_url'), place.base);
  const inside = { ...place, base: link ?? place.base };
  const items = Array.isArray(value['items']) ? value['items'].filter(isObject) : [];
  return {
    title: plainText(textIn(value, 'title')),
    link,
    about: plainNodes(textIn(value, 'description'), place.budget),
    entries: entriesOf(items, inside),
  };
}

/** As many as there is a budget for. */
function entriesOf(items: readonly Record<string, unknown>[], place: FeedPlace): FeedEntry[] {
  const entries: FeedEntry[] = [];
  withinBudget(() => {
    for (const item of items) {
      for (let node = 0; node < nodesOfEntry; node++) spendNode(place.budget);
      entries.push(entryOf(item, place));
    }
  });
  return entries;
}

function entryOf(item: Record<string, unknown>, place: FeedPlace): FeedEntry {
  const link = webAddress(textIn(item, 'url') || textIn(item, 'external_url'), place.base);
  const html = textIn(item, 'content_html');
  const authors = [item['authors'], item['author']].flat().filter(isObject);
  return {
    title: plainText(textIn(item, 'title')),
    link,
    date: textIn(item, 'date_published') || textIn(item, 'date_modified'),
    authors: authors.map((author) => textIn(author, 'name')),
    content:
      html === ''
        ? plainNodes(textIn(item, 'content_text') || textIn(item, 'summary'), place.budget)
        : htmlNodes(html, { ...place, base: link ?? place.base }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textIn(object: Record<string, unknown>, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value.trim() : '';
}
