import { extname, join } from 'node:path';
import { hostOf } from '@webfarer/protocol/url';
import { runAside } from '../aside/run-aside.ts';
import { ItemProblem } from '../scrape/item-problem.ts';
import type { Page } from '../scrape/scraper.ts';
import type { Account } from '../shares/account.ts';
import type { ItemRule } from './items.ts';

/** A page for a thread: what its facts are made of, and its source. */
export interface ItemsTask {
  rules: readonly ItemRule[];
  source: string;
  mime: string;
  facts: Pick<Page, 'url' | 'title' | 'language' | 'canonical'>;
}

export type ItemsAnswer = { items: object[] } | { problem: string };

const limits = { timeoutMs: 5_000, maxBytes: 256 * 1024 * 1024 };

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `items-thread${extname(import.meta.filename)}`);

/** The items of a page in a thread, where others do not wait for them. */
export async function itemsAside(
  page: Page,
  rules: readonly ItemRule[],
  account: Account,
): Promise<object[]> {
  const { url, title, language, canonical } = page;
  const data: ItemsTask = {
    rules,
    source: page.source(),
    mime: page.mime,
    facts: { url, title, language, canonical },
  };
  const payer = { account, host: hostOf(url) };
  const answer = await runAside<ItemsAnswer>(payer, () => ({ entry, data, limits }));
  if (!answer.ok)
    throw new ItemProblem(
      `the rules of extract took longer than ${limits.timeoutMs / 1_000} s or too much memory (${answer.reason}): an expression or selector is too slow for this page`,
    );
  if ('problem' in answer.value) throw new ItemProblem(answer.value.problem);
  return answer.value.items;
}
