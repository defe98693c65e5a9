import type { Browser, Page } from 'playwright-core';
import { openTestBrowser } from '../../packages/coordinator/src/log-in/provider.fixture.ts';
import { expectWithin } from './expect-within.ts';
import { hostilePerson } from './people.ts';
import { isTooWide, type Noticed, openVisitor, seriousIn, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

const host = 'reading.example';
const cookie = 'webfarer-session';
const sessionPage = 'Log in with your organization';

interface Look {
  width: number;
  scheme: 'light' | 'dark';
}
const looks: readonly Look[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

export interface PeopleWalked {
  wrong: string[];
  noticed: Noticed[];
}

/**
 * People log in at an OpenID provider of another site, in tabs of their own: an operator starts a crawl, a viewer of the
 * team looks at that crawl and at nothing else, somebody without a grant is refused. An administrator sees them on the
 * screen of people and ends a session, which ends in the open tab too.
 */
export async function usePeople(browser: Browser, world: World): Promise<PeopleWalked> {
  const noticed: Noticed[] = [];
  const open = async (): Promise<Visitor> => {
    const person = await openVisitor(browser, {
      url: world.url,
      width: 1024,
      height: 700,
      provider: world.provider.issuer,
      // Sessions that have ended or cannot be ended, what is not for everyone, and fonts that the provider's page wants.
      expected: (text, about) =>
        /40[134]/.test(text) ||
        (text.includes('ERR_FAILED') && about.endsWith('/v1/session')) ||
        about.startsWith('https://fonts.'),
    });
    noticed.push(person.noticed);
    return person;
  };
  const sam = await open();
  const wrong = await refuseStranger(sam, world);
  await sam.close();
  const olaf = await open();
  wrong.push(...(await operate(olaf, world)));
  const vera = await open();
  wrong.push(...(await lookOnly(vera, world)), ...(await logInElsewhere(world)));
  const ada = await open();
  wrong.push(...(await administer({ ada, olaf }, world)), ...(await logOut(vera, world)));
  if (noticed.some(({ atProvider }) => atProvider === 0)) wrong.push('somebody was never at the provider');
  if ((await ada.page.evaluate('globalThis.__ran')) !== undefined) wrong.push('the name of a person ran');
  // Sessions that are left are on the screen that is looked at later.
  for (const person of [olaf, vera, ada]) await person.close();
  await world.api.stopCrawl({ params: { crawl: host } }).catch(() => undefined);
  await world.api.deleteCrawl({ params: { crawl: host } });
  return { wrong, noticed };
}

interface Coming {
  person: string;
  path?: string;
}

/** From the log-in screen over the pages of the provider, back to the address that was opened. */
async function logInAs({ page }: Visitor, { url }: World, coming: Coming): Promise<void> {
  const { person, path = '/' } = coming;
  await page.goto(url + path);
  await page.getByRole('link', { name: sessionPage }).click();
  await page.locator('input[name=login]').fill(person);
  await page.locator('input[name=password]').fill('any');
  await page.locator('[type=submit]').click();
  // What the provider asks before it says who this is.
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function refuseStranger({ page, context }: Visitor, world: World): Promise<string[]> {
  await page.goto(world.url);
  await page.getByRole('link', { name: sessionPage }).waitFor();
  const wrong = await judge(page, 'the log-in screen', looks);
  await logInAs({ page } as Visitor, world, { person: 'sam' });
  wrong.push(
    ...(await expectWithin(
      page.getByRole('heading', { name: 'You are not logged in' }).waitFor(),
      'somebody without a grant is not told so on a page',
    )),
    ...(await judge(page, 'the page of a refused log-in', looks.slice(1))),
  );
  const told = await page.innerText('main');
  if (!told.includes('kitchen') || !told.includes('Ask an administrator'))
    wrong.push(`somebody without a grant reads ${JSON.stringify(told)}`);
  if ((await context.cookies(world.url)).some(({ name }) => name === cookie))
    wrong.push('somebody without a grant has a session');
  await page.locator('a[href="/"]', { hasText: 'Go to the console' }).waitFor();
  return wrong;
}

/** Starts a crawl: a change that is made with a session, from a page of the console. */
async function operate(visitor: Visitor, world: World): Promise<string[]> {
  const { page, context } = visitor;
  // The address that was asked for is there again afterwards.
  await logInAs(visitor, world, { person: 'olaf', path: '/?show=running' });
  await page.getByText('Live', { exact: true }).waitFor();
  const wrong = page.url() === `${world.url}/?show=running` ? [] : [`back at ${page.url()}`];
  const session = (await context.cookies(world.url)).find(({ name }) => name === cookie);
  if (!session?.httpOnly || session.sameSite !== 'Strict')
    wrong.push(`the session is kept as ${JSON.stringify({ ...session, value: '' })}`);
  const kept = (await page.evaluate('JSON.stringify([localStorage, sessionStorage])')) as string;
  if (session && kept.includes(session.value)) wrong.push('a script can read the session');
  await page.getByRole('textbox', { name: 'Address of a site' }).fill(host);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: 'Start crawl' }).click();
  await page.getByRole('heading', { level: 1, name: host }).waitFor();
  const { job } = await world.api.getCrawl({ params: { crawl: host } });
  if (job['team'] !== 'press') wrong.push(`the crawl of an operator is of the team ${String(job['team'])}`);
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  const parts = page.getByRole('navigation', { name: 'Parts of the administration' }).getByRole('link');
  await parts.first().waitFor();
  if ((await parts.allInnerTexts()).join() !== 'Webhooks')
    wrong.push(`an operator administers ${(await parts.allInnerTexts()).join()}`);
  return wrong;
}

/** Of all crawls a viewer sees the one of the team, with nothing to press. */
async function lookOnly(visitor: Visitor, world: World): Promise<string[]> {
  const { page } = visitor;
  await logInAs(visitor, world, { person: 'vera' });
  const wrong = await expectWithin(
    page.getByText(/^1 crawl(, 1 running)?$/).waitFor(),
    'a viewer does not see the one crawl of the team',
  );
  if (await page.getByRole('textbox', { name: 'Address of a site' }).isEnabled())
    wrong.push('a viewer can start a crawl');
  for (const name of ['Admin', 'Logins', 'Network', 'Stop all'])
    if ((await page.getByText(name, { exact: true }).count()) > 0) wrong.push(`a viewer is offered ${name}`);
  await page.getByRole('link', { name: host, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: host }).waitFor();
  for (const name of ['Pause', 'Resume', 'Stop', 'Delete'])
    if ((await page.getByRole('button', { name, exact: true }).count()) > 0)
      wrong.push(`a viewer is offered ${name}`);
  await page.goto(`${world.url}/admin`);
  wrong.push(
    ...(await expectWithin(
      page.getByText('Administration is for operators and admins').waitFor(),
      'a viewer is shown the administration',
    )),
  );
  // Whatever is on the screen: the coordinator decides.
  const answers = (await page.evaluate(`Promise.all(['sessions', 'tokens', 'audit', 'crawls/museum.example']
    .map(async (path) => (await fetch('/v1/' + path)).status))`)) as number[];
  if (answers.join() !== '403,403,403,404') wrong.push(`a viewer is answered ${answers.join()}`);
  await page.getByRole('button', { name: 'Settings and help' }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByText('Logged in as Vera Lind (viewer, team press)').waitFor(),
      'who is logged in is not said by name',
    )),
  );
  await page.keyboard.press('Escape');
  return wrong;
}

/** Without a screen: a second session of the viewer, and one of somebody whose name is no name. */
async function logInElsewhere({ url }: World): Promise<string[]> {
  for (const person of ['vera', hostilePerson.subject]) {
    const away = openTestBrowser();
    const begun = await away.send(`${url}/v1/session/log-in?to=/`);
    const back = await away.passProvider(begun.headers.get('location') ?? '', person);
    const { status } = await away.send(back);
    if (status !== 200) return [`${person.slice(0, 10)} cannot log in: ${status}`];
  }
  return [];
}

async function administer({ ada, olaf }: { ada: Visitor; olaf: Visitor }, world: World): Promise<string[]> {
  const { page } = ada;
  await logInAs(ada, world, { person: 'ada', path: '/admin?show=people' });
  const wrong = await expectWithin(
    page.getByRole('heading', { name: '4 people, 5 sessions' }).waitFor(),
    'it is not said how many are logged in',
  );
  const rows = page.locator('table.people tbody tr');
  const shown = (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' '));
  const { items } = await world.api.listSessions({ query: { limit: 100 } });
  for (const { name, email, user, scope, team } of items)
    if (!shown.some((row) => [name, email ?? '', user, scope, team].every((each) => row.includes(each))))
      wrong.push(`the screen of people does not show ${user} with ${scope}, ${team}`);
  const order = shown.map((row) => /^(Ada|Olaf|Vera|<img)/.exec(row)?.[0]).join();
  if (order !== '<img,Ada,Olaf,Vera,Vera') wrong.push(`people are in the order ${order}`);
  if (!shown.some((row) => row.startsWith('Ada Stern (you)'))) wrong.push('own session is not marked');
  await page.getByRole('link', { name: 'Changes by Olaf Berg' }).click();
  await page.locator('table.audit tbody tr', { hasText: 'createCrawl' }).waitFor();
  const changes = await page.locator('table.audit tbody tr').allInnerTexts();
  if (!changes.every((row) => row.includes('oidc:olaf')))
    wrong.push('the changes of one person are shown with those of others');
  await page.goBack();
  wrong.push(...(await useOnPhone(page)));
  await page.getByRole('button', { name: 'End session Olaf Berg' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End session', exact: true }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByRole('heading', { name: '3 people, 4 sessions' }).waitFor(),
      'a session that was ended is still shown',
    )),
    ...(await expectWithin(
      olaf.page.getByRole('alert').filter({ hasText: 'You were logged out' }).waitFor(),
      'the open tab of an ended session is not logged out',
    )),
  );
  return wrong;
}

/** What can be pressed is in sight on a phone without scrolling to the side, in both languages. */
async function useOnPhone(page: Page): Promise<string[]> {
  const width = 390;
  const wrong: string[] = [];
  await page.setViewportSize({ width, height: 844 });
  await page.locator('table.people').waitFor();
  for (const language of ['Deutsch', 'English']) {
    await page.locator('.bar button').first().click();
    await page.getByRole('menuitem', { name: language }).click();
    await page.getByRole('menuitem', { name: language }).waitFor({ state: 'hidden' });
    for (const one of await page.locator('.bar nav a, .crawl-nav a, .people button').all()) {
      const { x, width: wide } = (await one.boundingBox()) ?? { x: -1, width: 0 };
      if (x < 0 || x + wide > width) wrong.push(`on a phone ${await one.innerText()} is cut off`);
    }
  }
  await page.setViewportSize({ width: 1024, height: 700 });
  return wrong;
}

async function logOut({ page, context }: Visitor, { url, api }: World): Promise<string[]> {
  const press = async () => {
    await page.getByRole('button', { name: 'Settings and help' }).click();
    await page.getByText('Log out', { exact: true }).click();
  };
  // Whoever leaves a session that is still valid is told so, and can end it.
  await page.route('**/v1/session', (route) => route.abort());
  await press();
  const wrong = await expectWithin(
    page.getByText('You are not logged out').waitFor(),
    'a session that could not be ended is said to be over',
  );
  await page.unroute('**/v1/session');
  await page.reload();
  await press();
  wrong.push(
    ...(await expectWithin(
      page.getByRole('link', { name: sessionPage }).waitFor(),
      'logging out does not lead to the log-in screen',
    )),
  );
  if ((await context.cookies(url)).some(({ name }) => name === cookie))
    wrong.push('the session stays in the browser after logging out');
  const { items } = await api.listSessions({ query: { limit: 100 } });
  const left = items.filter(({ user }) => user === 'oidc:vera').length;
  if (left !== 1) wrong.push(`${left} sessions of two are left after logging out of one`);
  return wrong;
}

/** Screens that exist only for those who are not logged in, as a phone and a desk show them. */
async function judge(page: Page, where: string, as: readonly Look[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { width, scheme: colorScheme } of as) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    wrong.push(...(await seriousIn(page)).map((what) => `${where}, ${width}: ${what}`));
    if (await isTooWide(page)) wrong.push(`${where} is too wide at ${width}`);
  }
  return wrong;
}
