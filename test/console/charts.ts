import { expectWithin } from './expect-within.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** Charts begin where the crawl began, however late the page was opened, and the address keeps their range. */
export async function readCharts({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const params = { crawl: 'museum.example' };
  await page.goto(`${url}/crawls/museum.example`);
  const plot = page.locator('.plot .u-over').nth(1);
  await plot.waitFor();
  const { items } = await api.getHistory({ params, query: {} });
  const first = new Date(items[0]?.atMs ?? 0).toISOString().slice(11, 19);
  // The legend tells the moment under the pointer, in the time zone of the visitor: UTC.
  let told = '';
  // The history may come after the first samples of the stream, and a pointer that rests is told nothing new.
  for (let tries = 0; tries < 100 && told !== first; tries++) {
    await page.waitForTimeout(100);
    await plot.hover({ position: { x: 1, y: 40 + (tries % 2) } });
    told = await page.locator('.plot-legend .at').nth(1).innerText();
  }
  const begins = told === first ? [] : [`the chart begins at ${told}, not at ${first}`];
  await page.getByText('15 min', { exact: true }).click();
  await page.waitForURL(/\?range=15m$/);
  await page.reload();
  const kept = await expectWithin(
    page.getByRole('radio', { name: '15 min', checked: true }).waitFor({ state: 'attached' }),
    'the address does not keep the range of the charts',
  );
  return [...begins, ...kept];
}
