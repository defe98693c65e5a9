import type { ApiClient } from '@webfarer/protocol/api';
import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const crawl = 'scope-lab';
const params = { crawl };
const path = `/crawls/${crawl}/scope`;
const someText = 14;

/** A crawl that stands still with a queue of hostile URLs, and has a part of its scope from a policy. */
async function openLab(api: ApiClient): Promise<void> {
  const known = await api.getCrawl({ params }).catch(() => undefined);
  if (known) return;
  await api.putPolicy({
    params: { policy: 'unsecret' },
    body: { policy: { scope: { exclude: ['/secret/**'] } } },
  });
  const job = {
    name: crawl,
    policy: 'unsecret',
    seeds: ['http://hostile.example/', 'http://example.org/'],
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '500ms' },
  };
  await api.createCrawl({ body: { job } });
  await until(async () => (await balanceOf(api)).queued > 30);
  await api.pauseCrawl({ params });
  await until(async () => (await balanceOf(api)).leased === 0);
}

async function balanceOf(api: ApiClient) {
  const { progress } = await api.getCrawl({ params });
  return progress?.balance ?? { known: 0, queued: 0, leased: 0, done: 0, failed: 0, refused: 0 };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the crawl for the scope does not come to rest');
}

async function urlsOf(
  api: ApiClient,
  query: { state: 'queued' | 'refused'; reason?: 'scope' },
): Promise<string[]> {
  const { items } = await api.listUrls({ params, query: { ...query, limit: 1_000 } });
  return items.map(({ url }) => url);
}

/** Changes the scope of a crawl: what the screen says before is what then happens, and the way back brings it all back. */
export async function walkScope({ page, click }: Visitor, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  const expectText = async (text: string | RegExp, otherwise: string) =>
    wrong.push(...(await expectWithin(page.getByText(text).first().waitFor(), otherwise)));
  await openLab(api);
  const before = await urlsOf(api, { state: 'queued' });
  // Worked out beside the preview: by the URLs themselves.
  const meant = before.filter((one) => one.startsWith('http://hostile.example/page/1'));
  if (meant.length < 5) wrong.push(`only ${meant.length} URLs for the scope to drop`);
  await page.goto(`${url}/crawls/${crawl}`);
  await click(page.getByRole('link', { name: 'Scope', exact: true }));
  await expectText('From policy unsecret, version 1', 'a rule of a policy is not told as such');
  const exclude = page.getByRole('textbox', { name: 'Never these URLs' });
  await exclude.fill('/secret/**\nregex (');
  await expectText(/^Line 2: not a valid regular expression/, 'a wrong pattern is not told at its field');
  if ((await page.getByRole('button', { name: 'Apply new scope' }).count()) > 0)
    wrong.push('a wrong pattern can be applied');
  await exclude.fill('/secret/**\nhttp://hostile.example/page/1*');
  await expectText(`All ${before.length} queued URLs were looked at`, 'the preview does not come to its end');
  await expectText(
    `${meant.length} queued URLs would be dropped`,
    `the preview does not say ${meant.length}`,
  );
  await expectText('scope.exclude: http://hostile.example/page/1*', 'the rule that decides is not named');
  if ((await urlsOf(api, { state: 'queued' })).join() !== before.join()) wrong.push('a preview moves URLs');
  const draft = page.url();
  if (!draft.includes('draft=')) wrong.push(`the draft is not in the address ${draft}`);
  await page.goto(draft);
  await expectText(`${meant.length} queued URLs would be dropped`, 'a link to a draft does not show it');
  await apply(page);
  await expectText(`${meant.length} queued URLs were dropped.`, 'what the change did is not told');
  const left = await urlsOf(api, { state: 'queued' });
  const out = await urlsOf(api, { state: 'refused', reason: 'scope' });
  if (out.toSorted().join() !== meant.toSorted().join() || left.length !== before.length - meant.length)
    wrong.push(`the change dropped ${out.length} of ${before.length}, and the preview said ${meant.length}`);
  await page.getByRole('button', { name: 'Fill in the scope before it' }).click();
  await expectText(
    `${meant.length} URLs that an earlier scope refused would be queued again`,
    'the way back does not say what it brings back',
  );
  await apply(page);
  await expectText(`${meant.length} URLs were queued again.`, 'the way back is not told');
  if ((await urlsOf(api, { state: 'queued' })).toSorted().join() !== before.toSorted().join())
    wrong.push('the way back does not bring back what was dropped');
  return wrong;
}

async function apply(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Apply new scope' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply new scope' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Texts that would run as code: in patterns that are typed, in the address, in the history, and in URLs that would drop. */
export async function showHostileScope(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  await openLab(api);
  const patterns = hostileStrings
    .slice(0, someText)
    .map((text) => text.trim())
    .filter((text) => text !== '');
  await api.editCrawl({ params, body: { changes: { scope: { exclude: patterns } }, rescope: true } });
  await page.goto(`${url}${path}`);
  await page.locator('.scope-last').waitFor();
  await judge('the history of a hostile scope');
  const exclude = page.getByRole('textbox', { name: 'Never these URLs' });
  for (const text of patterns) {
    await exclude.fill(`${text}\nregex ${text}`);
    await judge(`the pattern ${text}`);
  }
  await page.goto(
    `${url}${path}?draft=${encodeURIComponent(JSON.stringify({ exclude: '/page/**', include: patterns.join('\n') }))}`,
  );
  await page.getByText('the count is exact').waitFor();
  await judge('the hostile URLs that a scope would drop');
}

export const scopeScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'scope',
    path: `${path}?draft=${encodeURIComponent(JSON.stringify({ stay: 'host', exclude: '/secret/**\n/page/1*\n/page/3*' }))}`,
    ready: async (page) => await page.getByText('the count is exact').waitFor(),
  },
];
