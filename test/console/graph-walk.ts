import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { figures, hostLinks, partners } from './figures-site.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const { crawl } = figures;
const at = `/crawls/${crawl}/data?view=graph`;
const large = 1_000;

/** The map has the hosts and links that the sites have, which are known from outside; the crawl is that of the figures. */
export async function walkGraph({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  const { graph } = await api.getHostGraph({ params: { crawl } });
  const names = graph?.hosts.map(({ host }) => host) ?? [];
  const shown = (graph?.links ?? []).map(([from, to, n]) => `${names[from]} ${names[to]} ${n}`);
  if (shown.toSorted().join() !== hostLinks.toSorted().join())
    wrong.push(`the links are ${shown.join()}, not ${hostLinks.join()}`);
  await page.goto(`${url}/crawls/${crawl}/data`);
  await page.getByRole('link', { name: 'Graph', exact: true }).click();
  await page.locator('.host-map circle').first().waitFor();
  const drawn = await page.locator('.host-map circle').count();
  if (drawn !== 2 + partners.length) wrong.push(`${drawn} hosts are drawn, not ${2 + partners.length}`);
  await page.getByRole('searchbox', { name: 'Find a host' }).fill('depot');
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: 'depot.example' });
  wrong.push(
    ...(await expectWithin(
      card.getByText('2 pages of 2 settled URLs').waitFor(),
      'a host that was found is not described',
    )),
  );
  if (!page.url().includes('host=depot.example')) wrong.push(`the host is not in the address: ${page.url()}`);
  const around = await card.locator('.host-list li').allInnerTexts();
  const told = around.map((text) => text.replaceAll(/\s+/g, ' '));
  if (told.join() !== 'figures.example 3,figures.example 3') wrong.push(`around it stands ${told.join()}`);
  await page.reload();
  await card.getByRole('link', { name: 'URLs of this host' }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByText('http://depot.example/stock').first().waitFor(),
      'a host does not lead to its URLs',
    )),
  );
  wrong.push(...(await readLargeMap(page, url)));
  return wrong;
}

/** A thousand hosts are placed while the screen answers. */
async function readLargeMap(page: Page, url: string): Promise<string[]> {
  const hosts = Array.from({ length: large }, (_, n) => ({
    host: `h${n}.example`,
    crawled: n < 40,
    urls: n < 40 ? 9 : 0,
    pages: n < 40 ? 9 : 0,
    linksIn: large - n,
    linksOut: 3,
    hostsIn: 3,
    hostsOut: 3,
    group: n % 9,
  }));
  const links = Array.from({ length: 3 * large }, (_, n) => [n % large, (n * 7 + 9) % large, 1 + (n % 5)]);
  const answer = {
    id: 'large',
    atMs: 1,
    ready: true,
    read: large,
    absent: 0,
    balance: { known: large, queued: 0, leased: 0, done: large, failed: 0, refused: 0 },
    graph: {
      hosts,
      links,
      totals: { hosts: 4 * large, crawled: 40, links: 90_000, pairs: 9_000 },
      uncounted: { urls: 0, links: 0 },
    },
  };
  await page.route('**/host-graph?*', (route) => route.fulfill({ json: answer }));
  await page.goto(url + at);
  // The table is there and can be searched before the last host is placed.
  await page.getByRole('searchbox', { name: 'Find a host' }).fill('h777.');
  const wrong = await expectWithin(
    page.getByRole('row', { name: 'h777.example' }).waitFor(),
    'a large map cannot be searched',
  );
  wrong.push(
    ...(await expectWithin(
      page
        .locator('.host-map circle')
        .nth(large - 1)
        .waitFor(),
      'a thousand hosts are not drawn',
    )),
    ...(await expectWithin(
      page.getByText('1,000 of 4,000 hosts').waitFor(),
      'it is not said what is left out',
    )),
  );
  await page.unroute('**/host-graph?*');
  return wrong;
}

/** Hostile texts as names of hosts, and in the address. */
export async function showHostileGraph(
  { page }: Visitor,
  { url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const hosts = hostileStrings.map((host, n) => ({
    host,
    crawled: n < 4,
    urls: 1,
    pages: 1,
    linksIn: 1 + n,
    linksOut: 1,
    hostsIn: 1,
    hostsOut: 1,
    group: n,
  }));
  const links = hosts.map((_, n) => [n, (n + 1) % hosts.length, 1]);
  const totals = { hosts: hosts.length, crawled: 4, links: links.length, pairs: links.length };
  const graph = { hosts, links, totals, uncounted: { urls: 0, links: 0 } };
  const balance = { known: 1, queued: 0, leased: 0, done: 1, failed: 0, refused: 0 };
  const answer = { id: 'x', atMs: 1, ready: true, read: 1, absent: 0, balance, graph };
  await page.route('**/host-graph?*', (route) => route.fulfill({ json: answer }));
  for (const text of hostileStrings.slice(0, 3)) {
    await page.goto(
      `${url}/crawls/press.example/data?view=graph&host=${encodeURIComponent(text.toWellFormed())}`,
    );
    await page.locator('.host-map circle').nth(3).waitFor();
    await judge(`the hostile host ${text}`);
  }
  await page.unroute('**/host-graph?*');
}

export const graphScreens = [
  {
    name: 'data-graph',
    path: `${at}&host=figures.example`,
    ready: async (page: Page) => await page.locator('.host-map circle').first().waitFor(),
  },
];
