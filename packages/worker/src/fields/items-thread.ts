import type { Entry, Url } from '@webfarer/protocol';
import { serveAside } from '../aside/serve-aside.ts';
import { ItemProblem } from '../scrape/item-problem.ts';
import { createPage } from '../scrape/page.ts';
import { openAccount } from '../shares/account.ts';
import type { ItemsAnswer, ItemsTask } from './items-aside.ts';
import { expressionsOf, itemsOf } from './items.ts';
import { loadValues } from './page-values.ts';

/** Makes the items of one page in a thread that may be ended at any time. */
async function make({ rules, source, mime, facts }: ItemsTask): Promise<ItemsAnswer> {
  const { url, title, language, canonical } = facts;
  const page = createPage({
    entry: { url, depth: 0 } as Entry,
    // The crawl pays for this thread.
    account: openAccount(),
    fetched: { status: 200, headers: [] } as never,
    mime,
    body: Buffer.from(source),
    source: () => source,
    links:
      canonical === undefined
        ? []
        : [{ url: canonical as Url, rel: 'link:canonical', text: '', nofollow: false }],
    title,
    language,
    picture: undefined,
  });
  const open = await loadValues(expressionsOf(rules));
  try {
    return { items: itemsOf(page, rules, open(page)) };
  } catch (error) {
    if (error instanceof ItemProblem) return { problem: error.message };
    throw error;
  }
}

serveAside(make);
