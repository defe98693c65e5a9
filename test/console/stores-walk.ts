import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expectWithin } from './expect-within.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** What the crawls of a coordinator without a shared store are kept in: its folder, counted. */
export async function useStores({ page }: Visitor, world: World, folder: string): Promise<string[]> {
  await page.goto(`${world.url}/network`);
  const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Data folder' }) });
  const wrong = [
    ...(await expectWithin(
      page.getByText('Crawls are kept in the data folder of this coordinator.').waitFor(),
      'it is not said what crawls are kept in',
    )),
    ...(await expectWithin(card.getByText(folder, { exact: true }).waitFor(), 'the folder is not named')),
    ...(await expectWithin(
      card.getByText(/^[\d.,]+ \S+ in [1-9][\d,]* files$/).waitFor(),
      'the size of the folder is not shown',
    )),
    ...(await expectWithin(
      card.getByText('Databases', { exact: true }).waitFor(),
      'databases are not counted',
    )),
  ];
  const used = await card.locator('dd').first().innerText();
  if (statSync(join(folder, 'catalog.db')).size > 0 && used.startsWith('0 '))
    wrong.push(`a folder with a catalog is said to hold ${used}`);
  return wrong;
}
