import type { Page } from 'playwright-core';
import { publicAddress } from '../install/own-network.ts';
import { logInAtView } from '../login/log-in-view.ts';
import { startMembersSite } from '../login/members-site.ts';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const host = 'club.example';
const contact = 'mailto:console@webfarer.test';

/**
 * A crawl of a made-up site for members: nobody has logged in, the session is lost on the way, and each time a person logs
 * in by the screen of logins, in a browser of the coordinator, and the crawl continues.
 */
export async function useLogins(visitor: Visitor, world: World): Promise<string[]> {
  const { page } = visitor;
  const { api, url } = world;
  const site = await startMembersSite({
    pages: 8,
    refusal: 'redirect',
    loseAt: [4],
    listenOn: publicAddress,
  });
  const origin = site.origin.replace(publicAddress, host);
  const answers: string[] = [];
  const keep = async (response: { url(): string; text(): Promise<string> }): Promise<void> => {
    if (/\/v1\/site-/.test(response.url())) answers.push(await response.text().catch(() => ''));
  };
  page.on('response', keep);
  try {
    await page.goto(`${url}/logins`);
    const wrong = await expectWithin(
      page.getByText('No accounts yet').waitFor(),
      'an empty screen of logins does not say what they are for',
    );
    const check = { selector: 'a.me', url: '**/login**' };
    const job = {
      name: 'members',
      seeds: [`${origin}/`],
      contact,
      politeness: { gap: '5ms', slowFactor: 0 },
      login: [{ site: host, as: 'alice', check, form: `${origin}/login` }],
    };
    await api.createCrawl({ body: { job } });
    const row = page.locator('.account', { hasText: 'alice' });
    const told = async (words: string) =>
      wrong.push(...(await expectWithin(row.getByText(words).waitFor(), `it is not said: ${words}`)));
    await told('nobody has logged in yet');
    await logInBy(visitor, { wrong, cancels: true });
    await told('Logged out for');
    await told('on 1 host wait.');
    await logInBy(visitor, { wrong, cancels: false });
    await told('No running crawl uses it.');
    const { state, progress } = await api.getCrawl({ params: { crawl: 'members' } });
    if (state !== 'finished' || progress?.balance.done !== 8)
      wrong.push(`the crawl behind the login is ${state} with ${progress?.balance.done} of 8 pages`);
    if (site.log.some(({ method, path }) => method === 'POST' && path !== '/session'))
      wrong.push('something was sent to the site but the form');
    const places = [page.url(), await page.content(), await storageOf(page), ...answers];
    for (const secret of site.secrets)
      if (places.some((text) => text.includes(secret)))
        wrong.push('a secret of the account is in the console');
    // What a person meets who comes back to it later.
    await api.createCrawl({
      body: { job: { ...job, name: 'members-later', login: [{ ...job.login[0], as: 'bob' }] } },
    });
    return wrong;
  } finally {
    page.off('response', keep);
    await site.close();
  }
}

/** By the button of the account, in the tab that opens. */
async function logInBy(
  { page, context }: Visitor,
  { wrong, cancels }: { wrong: string[]; cancels: boolean },
): Promise<void> {
  const begin = async (): Promise<Page> => {
    await page.getByRole('button', { name: 'Log in to club.example as alice' }).click();
    const opens = context.waitForEvent('page');
    await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click();
    return await opens;
  };
  if (cancels) {
    const first = await begin();
    await page.getByRole('button', { name: 'Cancel the login of alice at club.example' }).click();
    wrong.push(
      ...(await expectWithin(
        page.getByText('cancelled; nothing was kept').waitFor(),
        'a cancelled login is not shown as such',
      )),
    );
    await first.close();
  }
  const view = await begin();
  await view.locator('#cover').waitFor({ state: 'hidden' });
  wrong.push(
    ...(await expectWithin(
      page.getByText('The browser is open in another tab').waitFor(),
      'a browser that is open is not shown',
    )),
  );
  if (view.url().includes('#')) wrong.push('the ticket stays in the address');
  if ((await storageOf(view)).includes('token')) wrong.push('the view has what the console keeps');
  // The sign of the job ends the login by itself.
  await logInAtView(view, 'opensesame').catch(() => undefined);
  await view.getByRole('status').filter({ hasText: 'Done.' }).waitFor();
  wrong.push(
    ...(await expectWithin(
      page.getByText('logged in; kept:').first().waitFor(),
      'how the login ended is not shown',
    )),
  );
  await view.close();
}

const storageOf = async (page: Page): Promise<string> =>
  (await page.evaluate('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')) as string;

/** Names as long as they may be, and crawls with names that would run as code, which wait for such accounts. */
export async function showHostileLogins(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const names = ['W'.repeat(100), '\u0627\u0633\u0645', 'constructor'];
  for (const [n, text] of hostileStrings.slice(0, 12).entries()) {
    const login = [{ site: `${'w'.repeat(60)}.${n}.example`, as: names[n % 3], check: 'status' }];
    const job = { name: `${text.slice(0, 70)} login`, seeds: ['http://hostile.example/'], contact, login };
    await api.createCrawl({ body: { job } }).catch(() => undefined);
  }
  await page.goto(`${url}/logins`);
  await page
    .locator('.account', { hasText: 'W'.repeat(100) })
    .first()
    .waitFor();
  await judge('logins');
  await page.setViewportSize({ width: 390, height: 844 });
  await judge('logins on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  const search = page.getByRole('searchbox');
  // Accounts that wait are not filtered.
  for (const text of (await search.count()) > 0 ? hostileStrings.slice(0, 8) : []) {
    await search.fill(text);
    await judge(`logins filtered by ${text}`);
  }
}

export const loginScreens = [
  {
    name: 'logins',
    path: '/logins',
    ready: async (page: Page) => await page.locator('.account', { hasText: 'bob' }).waitFor(),
  },
];
