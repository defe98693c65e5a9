import { expectWithin } from './expect-within.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** Nobody listens at that port, so that the host is in trouble for as long as anybody looks. */
const [busy, ill] = ['orchard.example', 'blight.example'];
const crawl = 'harvest';
const params = { crawl };

/** Begun early: what its hosts do is told once they have done it for a while. */
export async function beginHostMap({ api }: World): Promise<void> {
  const job = {
    name: crawl,
    seeds: [`http://${busy}/`, `http://${ill}:81/`],
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '300ms' },
    limits: { pages: 40_000, perHost: { pages: 40_000 }, perSite: { pages: 40_000 } },
  };
  await api.createCrawl({ body: { job } });
}

/** Reads from the map what the hosts of a crawl did, with pointer and keys, and how the address holds it. */
export async function walkHostMap({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  await page.goto(`${url}/crawls/${crawl}/hosts`);
  await page.getByText('Over time', { exact: true }).click();
  await page.waitForURL(/view=map/);
  const row = page.locator('.heat tbody tr').filter({ has: page.getByText(busy, { exact: true }) });
  await row.waitFor();
  const told = page.locator('.heat-told');
  const recorded = async () => {
    const { items } = await api.getHostHistory({ params });
    return items.find(({ host }) => host === busy)?.pages.at(-1) ?? -1;
  };
  await api.pauseCrawl({ params });
  let [known, shown] = [await recorded(), ''];
  // One more sample may come between the two.
  for (let tries = 0; tries < 3 && shown !== String(known); tries++) {
    await page.reload();
    await row.waitFor();
    shown = (await row.locator('td.num').first().innerText()).replaceAll(',', '');
    known = await recorded();
  }
  if (shown !== String(known)) wrong.push(`${busy} shows ${shown} pages, not ${known}`);
  const { items: listed } = await api.listCrawlHosts({ params, query: {} });
  const sums = listed.find(({ host }) => host === busy);
  if (!sums || sums.pages < known || sums.bytes <= 0)
    wrong.push(
      `the list has ${sums?.pages} pages and ${sums?.bytes} bytes of ${busy}, the map ${known} pages`,
    );
  const cells = page.locator('.heat tbody tr').filter({ hasText: ill });
  wrong.push(
    ...(await expectWithin(cells.locator('.heat-trouble').waitFor(), 'no trouble of a host that refuses')),
  );
  await page.locator('.heat').focus();
  await page.keyboard.press('ArrowRight');
  wrong.push(...(await expectWithin(told.getByText(/UTC/).waitFor(), 'keys tell nothing of a cell')));
  const names = await page.locator('.heat tbody th').allInnerTexts();
  await page.keyboard.press('ArrowDown');
  const below = told.getByText(names[1] ?? '', { exact: true });
  wrong.push(...(await expectWithin(below.waitFor(), 'an arrow key does not lead to the host below')));
  await row.locator('.heat-cells svg').hover();
  wrong.push(
    ...(await expectWithin(told.getByText(busy, { exact: true }).waitFor(), 'a pointer tells nothing')),
  );
  await page.getByText('15 min', { exact: true }).click();
  await page.waitForURL(/range=15m/);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('host');
  await page.waitForURL(/sort=host/);
  await page.reload();
  await row.waitFor();
  const sorted = await page.locator('.heat tbody th').allInnerTexts();
  if (sorted.join() !== sorted.toSorted().join()) wrong.push(`by name the hosts are ${sorted.join()}`);
  if (!(await page.getByText(/^Recorded since/).isVisible())) wrong.push('the map does not say since when');
  return wrong;
}

/** For pictures, and for what axe finds. */
export const hostMapScreens = [
  {
    name: 'host-map',
    path: `/crawls/${crawl}/hosts?view=map`,
    ready: async (page: Visitor['page']) => await page.locator('.heat tbody tr').first().waitFor(),
  },
];
