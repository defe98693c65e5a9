import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { figures } from './figures-site.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const { crawl } = figures;
const at = `/crawls/${crawl}/data?view=statistics`;

/** The figures of a crawl are those of the sites, which are known from outside. */
export async function walkStatistics({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const job = { name: crawl, seeds: [...figures.seeds], contact: 'mailto:console@webfarer.test' };
  const fetch = { retries: { count: 0 } };
  await api.createCrawl({ body: { job: { ...job, fetch, politeness: { gap: '20ms' } } } });
  await page.goto(`${url}/crawls/${crawl}`);
  await page.locator('.crawl-head .state', { hasText: 'finished' }).waitFor();
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByRole('link', { name: 'Statistics', exact: true }).click();
  await page.locator('.stat-tiles').waitFor();
  const wrong: string[] = [];
  const tile = async (name: string) =>
    await page.locator('.tile', { hasText: name }).locator('dd').first().innerText();
  const tiles = [
    ['URLs settled', figures.urls],
    ['Pages with content', figures.pages],
    ['Hosts', figures.hosts],
    ['Different contents', figures.contents],
  ] as const;
  for (const [name, right] of tiles)
    if ((await tile(name)) !== String(right)) wrong.push(`${name} is ${await tile(name)}, not ${right}`);
  const statuses = { ...figures.statuses, 'no answer': figures.urls - figures.answers };
  wrong.push(...(await compareBars(page, 'Answers', statuses)));
  const types = { ...figures.types, 'not known': figures.urls - figures.answers };
  wrong.push(...(await compareBars(page, 'Content types by number', types)));
  const balance = (await api.getCrawl({ params: { crawl } })).progress?.balance;
  const { statistics } = await api.getStatistics({ params: { crawl } });
  const { done, failed, refused } = statistics?.verdicts ?? { done: 0, failed: 0, refused: 0 };
  if (done !== balance?.done || failed !== balance.failed || refused !== balance.refused)
    wrong.push(`the verdicts ${done}, ${failed}, ${refused} are not those of the crawl`);
  await page.getByRole('link', { name: '404', exact: true }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByText('http://figures.example/missing').first().waitFor(),
      'a status does not lead to its URLs',
    )),
  );
  await page.goto(url + at);
  await page.getByText('Slowest').click();
  wrong.push(
    ...(await expectWithin(
      page.locator('.stat-hosts table.slowest tbody tr').nth(1).waitFor(),
      'the slowest hosts are not listed',
    )),
  );
  await page.getByRole('button', { name: 'Count anew' }).click();
  await page.locator('.stat-tiles').waitFor();
  return wrong;
}

/** Rows of a card, by number and by the length of their bars. */
async function compareBars(page: Page, card: string, right: Readonly<Record<string, number>>) {
  const wrong: string[] = [];
  const rows = page.getByRole('region', { name: card, exact: true }).locator('.bars li');
  const shown: Record<string, number> = {};
  for (const row of await rows.all()) {
    const label = (await row.locator(':first-child').first().innerText()).trim();
    const figure = await row.locator('b').innerText();
    shown[label] = Number(figure.split(' ', 1)[0]);
    const share = Number(/([\d.]+)%/.exec(figure)?.[1]);
    const width = Number(await row.locator('rect').getAttribute('width'));
    if (Math.abs(width - share) > 0.6)
      wrong.push(`${card}: the bar of ${label} is ${width} % long, not ${share}`);
  }
  const inOrder = (of: Readonly<Record<string, number>>) =>
    JSON.stringify(
      of,
      Object.keys(of).toSorted((a, b) => (a < b ? -1 : 1)),
    );
  if (inOrder(shown) !== inOrder(right)) wrong.push(`${card}: ${inOrder(shown)}, not ${inOrder(right)}`);
  return wrong;
}

/** Hostile texts in types, languages, servers and hosts. */
export async function showHostileStatistics(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const answer = await api.getStatistics({ params: { crawl: 'press.example' } });
  const rows = hostileStrings.map((key, n) => ({
    key: `${key} ${n}`,
    urls: 9 - (n % 9),
    pages: 1,
    bytes: 1 + n,
  }));
  const table = { keys: rows.length, rows, others: { urls: 0, pages: 0, bytes: 0 }, without: 0 };
  const tables = Object.fromEntries(
    Object.keys(answer.statistics?.tables ?? {}).map((name) => [name, table]),
  );
  const hosts = hostileStrings.slice(0, 10).map((host) => ({
    host,
    urls: 1,
    pages: 1,
    bytes: 1,
    failed: 1,
    answers: 1,
    meanMs: 1,
  }));
  const outcomes = hostileStrings.map((reason) => ({ verdict: 'failed', reason, urls: 1, bytes: 1 }));
  const statistics = {
    ...answer.statistics,
    tables,
    outcomes,
    hosts: { largest: hosts, slowest: hosts, failing: hosts, uncounted: 0 },
  };
  await page.route('**/statistics?*', (route) => route.fulfill({ json: { ...answer, statistics } }));
  await page.goto(`${url}/crawls/press.example/data?view=statistics`);
  await page.locator('.stat-hosts tbody tr').nth(3).waitFor();
  await judge('hostile figures');
  await page.unroute('**/statistics?*');
}

export const statsScreens = [
  {
    name: 'data-statistics',
    path: at,
    ready: async (page: Page) => await page.locator('.stat-hosts').waitFor(),
  },
];
