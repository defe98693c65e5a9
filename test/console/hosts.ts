import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import { isTooWide, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

export interface HostsWalked {
  wrong: string[];
  /** From the list of crawls to a host that is slowed. */
  slowClicks: number;
  /** From the list of crawls to what each host waits for. */
  waitClicks: number;
}

/** Finds what a crawl waits for, slows a host and blocks it, and takes both back. */
export async function walkHosts(visitor: Visitor, world: World): Promise<HostsWalked> {
  const { page } = visitor;
  const { api, url } = world;
  const params = { match: 'museum.example' };
  // Slow enough that its hosts have something queued for as long as anybody looks.
  // Not the museum: crawls take turns on a host, and its own crawl is to move quickly.
  const sites = ['press.example', 'ill.example', 'busy.example', 'example.org'];
  const seeds = sites.map((site) => `http://${site}/`);
  const job = {
    name: 'all-sites',
    seeds,
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '4s' },
  };
  await api.createCrawl({ body: { job } });
  await page.goto(`${url}/`);
  const before = visitor.clicks();
  const card = page
    .locator('.crawl-card')
    .filter({ has: page.getByRole('link', { name: 'museum.example', exact: true }) });
  await visitor.click(card.getByRole('link', { name: 'Hosts', exact: true }));
  const row = page.locator('table.hosts tbody tr', { hasText: 'museum.example' });
  await row.waitFor();
  const waitClicks = visitor.clicks() - before;
  const wrong = await compareQueue(visitor, world);
  await visitor.click(row.getByRole('button', { name: 'Slow down' }));
  await page.getByRole('textbox', { name: 'Pause between two requests' }).fill('7');
  await visitor.click(page.getByRole('dialog').getByRole('button', { name: 'Slow down' }));
  await page.getByText('at least 7 s between two requests').waitFor();
  const slowClicks = visitor.clicks() - before;
  const rules = async () => (await api.listHostRules({ query: {} })).items;
  const rule = await api.getHostRule({ params });
  if (rule.gapMs !== 7_000) wrong.push(`Slow down sets a pause of ${rule.gapMs} ms, not 7000`);
  wrong.push(
    ...(await expectWithin(
      row.getByText('host rule museum.example').waitFor(),
      'the row does not tell its rule',
    )),
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' });
  if ((await rules()).length > 0) wrong.push('Undo leaves a rule');

  await api.putHostRule({ params: { match: 'nowhere.example' }, body: { gapMs: 3_000, note: 'kept' } });
  await page.getByRole('searchbox').fill('nowhere.example');
  await page.getByText('is not among the hosts shown').waitFor();
  await page.getByRole('button', { name: 'Block' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await page.getByText('nowhere.example is blocked in all crawls').waitFor();
  if ((await rules())[0]?.block !== true) wrong.push('Block does not block');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' });
  const [back] = await rules();
  if (back?.gapMs !== 3_000 || back.note !== 'kept' || back.block)
    wrong.push('Undo does not bring back the rule before');
  if (!page.url().endsWith('/hosts?q=nowhere.example')) wrong.push(`the search is not in ${page.url()}`);
  await api.deleteHostRule({ params: { match: 'nowhere.example' } });
  return { wrong, slowClicks, waitClicks };
}

/** The queue of a crawl that is paused does not move. */
async function compareQueue({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const params = { crawl: 'museum-later' };
  const at = page.url();
  await page.goto(`${url}/crawls/museum-later/hosts?sort=queued&down=true`);
  const cells = page.locator('table.hosts tbody td.num');
  await cells.first().waitFor();
  const { items } = await api.listCrawlHosts({ params, query: {} });
  const told = await cells.first().innerText();
  await page.goto(at);
  const right = String(items[0]?.queued);
  return told === right ? [] : [`museum-later shows ${told} queued URLs of its host, not ${right}`];
}

/** Texts that would run as code, in what a person types and in what an operator wrote about a host. */
export async function showHostileHosts(
  { page }: Visitor,
  { api, url }: World,
): Promise<{ shown: number; layoutsBroken: string[] }> {
  const params = { match: 'museum.example' };
  const layoutsBroken: string[] = [];
  let shown = 0;
  const some = hostileStrings.slice(0, 24);
  await api.putHostRule({ params, body: { gapMs: 100, note: some.join(' ').slice(0, 1_900) } });
  await page.goto(`${url}/crawls/museum.example/hosts`);
  await page.locator('table.hosts tbody tr').first().waitFor();
  for (const text of ['', ...some]) {
    await page.getByRole('searchbox').fill(text);
    shown++;
    if (await isTooWide(page)) layoutsBroken.push(`hosts ${text.slice(0, 60)}`);
  }
  await api.deleteHostRule({ params });
  return { shown, layoutsBroken };
}
