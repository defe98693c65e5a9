import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import type { World } from './world.ts';

const crawl = 'press.example';
const focused = 'document.activeElement.id';
const place = 'Math.round(scrollY)';

/** Each screen names its tab and has the focus, and Back leads to the row that one came from. */
export async function keepOrientation(page: Page, { url }: World): Promise<string[]> {
  const wrong: string[] = [];
  const expectTitle = async (right: string) => {
    const isRight = page.waitForFunction(`document.title === ${JSON.stringify(right)}`);
    wrong.push(...(await expectWithin(isRight, `the tab is not called ${right}`)));
  };
  await page.goto(`${url}/`);
  await expectTitle('Crawls · Webfarer');
  await page.getByRole('link', { name: crawl, exact: true }).click();
  await expectTitle(`${crawl} · Webfarer`);
  if ((await page.evaluate(focused)) !== 'main') wrong.push('the focus is not on the screen that was opened');
  await page.getByRole('link', { name: 'URLs', exact: true }).click();
  await expectTitle(`${crawl} URLs · Webfarer`);
  const row = page.locator('[data-row="25"] a').first();
  await page.locator('[data-row="5"] a').first().waitFor();
  await page.mouse.wheel(0, 700);
  await row.scrollIntoViewIfNeeded();
  const before = (await page.evaluate(place)) as number;
  const address = (await row.textContent()) ?? '';
  await row.click();
  await page.locator('h1.one-url').waitFor();
  if ((await page.evaluate(place)) !== 0) wrong.push('a screen that was opened does not begin at its top');
  await page.goBack();
  await page.getByRole('link', { name: address, exact: true }).first().waitFor();
  const isBack = page.waitForFunction(`Math.abs(scrollY - ${before}) < 3`);
  wrong.push(...(await expectWithin(isBack, `Back does not lead to the row: ${before}`)));
  return [...wrong, ...(await standStill(page, url))];
}

/** Browsers call it good up to here: https://web.dev/articles/cls */
const mostShift = 0.1;
const watchShifts = `globalThis.__shift = 0; new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) __shift += value;
}).observe({ type: 'layout-shift', buffered: true })`;

/** What a person is about to click does not move away when figures come. */
async function standStill(page: Page, url: string): Promise<string[]> {
  const wrong: string[] = [];
  await page.addInitScript(watchShifts);
  const screens = {
    '/': '.crawl-card .stack rect',
    '/crawls/museum.example': '.plot canvas',
    [`/crawls/${crawl}`]: '.plot canvas',
    [`/crawls/${crawl}/urls`]: '[data-row="5"] a',
    '/network': '.uses .share',
  };
  for (const [path, shown] of Object.entries(screens)) {
    await page.goto(url + path);
    await page.locator(shown).first().waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    const shift = (await page.evaluate('__shift')) as number;
    if (shift > mostShift) wrong.push(`${path} shifts by ${shift.toFixed(3)}, not at most ${mostShift}`);
  }
  return wrong;
}
