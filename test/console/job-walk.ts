import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

type Page = Visitor['page'];

const editor = (page: Page) => page.getByRole('textbox', { name: 'Job as YAML' });

/** Writes a job in the text and in the form, is told what is wrong where, and starts it. */
export async function writeJob(visitor: Visitor, { api, url }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  const says = async (what: string, ...parts: string[]) => {
    const text = await editor(page).inputValue();
    for (const part of parts)
      if (!text.includes(part)) wrong.push(`${what}: the text lacks ${JSON.stringify(part)}`);
  };
  // From the preview of Home, with the address.
  await page.goto(`${url}/`);
  await page.getByRole('textbox', { name: 'Address of a site' }).fill('http://press.example/');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('link', { name: 'All settings' }).click();
  await editor(page).waitFor();
  await says('All settings', 'http://press.example/', 'stay: site');
  // By the keyboard: a field, and a value of it.
  await editor(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# kept\nord');
  wrong.push(
    ...(await expectWithin(
      page.getByRole('option', { name: /order/ }).waitFor(),
      'nothing is offered for ord',
    )),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'best-first' }).waitFor();
  await page.keyboard.type('b');
  await page.keyboard.press('Enter');
  await says('completion', '# kept\norder: best-first');
  // A wrong value is told at its line, and the form says the same as the text.
  await page.keyboard.type('\nlimits:\npages: many\n');
  const problem = page.locator('.yaml-problems li').first();
  wrong.push(
    ...(await expectWithin(problem.getByText('limits.pages').waitFor(), 'a wrong value is not told')),
  );
  const line =
    (await editor(page).inputValue()).split('\n').findIndex((text) => text.includes('pages: many')) + 1;
  if (!(await problem.innerText()).startsWith(`Line ${line} `))
    wrong.push(`the problem is not at line ${line}`);
  const pages = page.getByRole('textbox', { name: 'Pages', exact: true });
  if ((await pages.inputValue()) !== 'many') wrong.push('the form does not say what the text says');
  if (await page.getByRole('button', { name: 'Start crawl' }).isEnabled())
    wrong.push('a wrong job can be started');
  await pages.fill('7');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('from-editor');
  await says('form', 'pages: 7', 'name: from-editor', '# kept');
  // A text that is no YAML leaves the form alone.
  const before = await editor(page).inputValue();
  await editor(page).fill(`${before}\nscope: [`);
  wrong.push(
    ...(await expectWithin(
      page.getByText('cannot be read at the moment').waitFor(),
      'a broken text is not told',
    )),
  );
  if ((await pages.inputValue()) !== '7' || !(await pages.isDisabled()))
    wrong.push('a broken text changes the form');
  await editor(page).fill(before);
  await page.getByRole('button', { name: 'Start crawl' }).click();
  await page.getByRole('heading', { level: 1, name: 'from-editor' }).waitFor();
  const { job } = await api.getCrawl({ params: { crawl: 'from-editor' } });
  const { limits, order } = job as { limits?: { pages?: unknown }; order?: unknown };
  if (limits?.pages !== 7 || order !== 'best-first')
    wrong.push(`the crawl has another job: ${JSON.stringify(job)}`);
  return wrong;
}

/** Asks the job of a crawl about addresses, sees what is different, and tries it. */
export async function tryJob(visitor: Visitor, { api, url, requestsTo }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await page.goto(`${url}/crawls/museum-sample/job`);
  await page.getByRole('button', { name: 'Edit as a new crawl' }).click();
  await page.getByText('it would do the same').waitFor();
  await page.getByRole('textbox', { name: 'Pages', exact: true }).fill('30');
  const told = page.locator('.differences li');
  wrong.push(...(await expectWithin(told.getByText('limits.pages').waitFor(), 'a difference is not told')));
  const said = (await told.allInnerTexts()).join('; ').replaceAll(/\s+/g, ' ');
  if (said !== 'limits.pages 25 → 30') wrong.push(`the difference is told as "${said}"`);
  // No crawl goes there.
  const before = requestsTo('attic.example');
  await page
    .getByRole('textbox', { name: 'Addresses, one a line' })
    .fill('museum.example/page/3?utm_source=a\nhttp://attic.example/\nnothing at all');
  await page.getByRole('button', { name: 'Judge them' }).click();
  const rows = page.locator('.judged tbody tr');
  await rows.nth(2).waitFor();
  const verdicts = (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' '));
  if (verdicts[0]?.startsWith('crawled https://museum.example/page/3 ') !== true)
    wrong.push(`judged: ${verdicts[0]}`);
  if (!(verdicts[1] ?? '').includes('scope.stay: site')) wrong.push(`judged: ${verdicts[1]}`);
  if (requestsTo('attic.example') !== before) wrong.push('judging asked a site for something');
  await page.getByRole('button', { name: 'Try with 20 pages' }).click();
  const name = /\/crawls\/(museum-sample-2-try-[0-9a-f]{4})$/;
  await page.waitForURL(name);
  const crawl = decodeURIComponent(name.exec(page.url())?.[1] ?? '');
  const { job } = await api.getCrawl({ params: { crawl } });
  if ((job as { limits?: { pages?: unknown } }).limits?.pages !== 20) wrong.push('a try has not 20 pages');
  await page.getByRole('link', { name: 'Job', exact: true }).click();
  await page.getByRole('button', { name: 'Delete this try' }).click();
  await page.waitForURL(`${url}/`);
  const { items } = await api.listCrawls({ query: { tag: ['try'] } });
  if (items.length > 0) wrong.push('a try is not deleted');
  return wrong;
}

/** Of each kind: a page takes a second. */
const hostilePages = 2;

/** Texts that would run as code, in what a person writes and in the jobs of others. */
export async function showHostileJobTexts(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  await page.goto(`${url}/jobs/new?seed=${encodeURIComponent(hostileStrings[0] ?? '')}`);
  await editor(page).waitFor();
  for (const text of hostileStrings.slice(0, 8)) {
    await editor(page).fill(`seeds: [${JSON.stringify(text)}]\n${text}: 1`);
    await judge(`job ${text}`);
    await editor(page).fill('');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(text);
    await page.getByRole('textbox', { name: 'Tags' }).fill(text);
  }
  const { items } = await api.listCrawls({ query: { limit: 200 } });
  for (const { name } of items.filter((crawl) => crawl.name.includes('<')).slice(-hostilePages)) {
    await page.goto(`${url}/crawls/${encodeURIComponent(name)}/job`);
    await page.locator('.yaml-view').waitFor();
    await judge(`job of ${name}`);
  }
}

export const jobTextScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'job-new',
    path: '/jobs/new?seed=museum.example&stay=host',
    async ready(page) {
      await editor(page).waitFor();
      await editor(page).focus();
      await page.keyboard.press('Control+End');
      // Each line begins where the one above did.
      await page.keyboard.type('limits:\npage: 3\n');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('r');
      await page.getByRole('listbox').waitFor();
    },
  },
  {
    name: 'crawl-job',
    path: '/crawls/museum-sample/job',
    ready: async (page) => await page.locator('.yaml-view').waitFor(),
  },
];
