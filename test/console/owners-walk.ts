import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import { isTooWide, type Noticed, openVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** A rule holds everywhere by then; the promise to owners is a minute. */
const inForceMs = 5_000;
/** After that, so long, the host hears nothing and the other one is crawled. */
const quietMs = 2_000;
const path = '/.well-known/webfarer-owner.txt';

/**
 * The owner of a site that is being crawled comes without a token, fails without a proof, then stops the crawl of the
 * site with one. By the site's own log nothing reaches it afterwards, and the crawl of another one continues.
 */
export async function useOwnersPage(
  browser: Browser,
  world: World,
): Promise<{ wrong: string[]; noticed: Noticed }> {
  const { api, url } = world;
  const contact = 'mailto:console@webfarer.test';
  for (const host of ['garden.example', 'library.example'])
    await api.createCrawl({
      body: { job: { seeds: [`http://${host}/`], contact, politeness: { gap: '40ms' } } },
    });
  const visitor = await openVisitor(browser, { url, expected: (text) => /40[039]|429/.test(text) });
  const { page } = visitor;
  const wrong: string[] = [];
  await page.goto(`${url}/owners`);
  await page.getByRole('heading', { level: 1, name: 'Did our crawler visit your site?' }).waitFor();
  const told = await page.locator('main').innerText();
  for (const words of [
    'The Example Web Archive',
    'crawler@archive.example',
    'User-agent: webfarer',
    'Disallow: /',
  ])
    if (!told.includes(words)) wrong.push(`the page for owners does not say ${words}`);
  wrong.push(...(await failToProve(visitor, world)));
  wrong.push(...(await stopCrawl(visitor, world)));
  wrong.push(...(await showHostileHosts(visitor, url)));
  const text = await (await fetch(`${url}/owners.txt`)).text();
  if (!text.includes('Disallow: /')) wrong.push('the page for owners has no text without JavaScript');
  for (const crawl of ['garden.example', 'library.example']) {
    await api.stopCrawl({ params: { crawl } });
    await api.deleteCrawl({ params: { crawl } });
  }
  await visitor.close();
  return { wrong, noticed: visitor.noticed };
}

async function askFor({ page }: Visitor, host: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Your host' }).fill(host);
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText(`Put the token on ${host}`).waitFor();
  await page.getByRole('combobox', { name: 'Reached over' }).selectOption('http');
}

async function failToProve(visitor: Visitor, { api, url, put, requestsTo }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await askFor(visitor, 'library.example');
  // A redirect to where the token could be.
  put.set(`library.example${path}`, {
    status: 302,
    body: '',
    headers: { location: 'http://attic.example/' },
  });
  const before = requestsTo('attic.example');
  await page.getByRole('button', { name: 'Check the token and do it' }).click();
  wrong.push(
    ...(await expectWithin(page.getByText('answered 302').waitFor(), 'a redirect is taken for a proof')),
  );
  if (requestsTo('attic.example') !== before) wrong.push('the redirect of a proof was followed');
  if ((await page.locator('.owner-answer').count()) > 0)
    wrong.push('what was fetched is shown without a proof');
  const { secret } = (await ask(url, 'tokens', { host: '127.0.0.1' })) as { secret: string };
  for (const host of ['127.0.0.1', 'localhost', 'nowhere.example']) {
    const { detail } = (await ask(url, 'requests', { host, secret, scheme: 'http', wish: 'stop' })) as {
      detail: string;
    };
    if (!detail.includes('could not be read from here')) wrong.push(`${host} is told as ${detail}`);
  }
  const { items } = await api.listOptOuts({});
  if (items.length > 0) wrong.push('a host is opted out without a proof');
  return wrong;
}

async function ask(url: string, what: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${url}/v1/site-owners/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await answer.json();
}

async function stopCrawl(visitor: Visitor, { api, put, requestsTo }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await askFor(visitor, 'garden.example');
  const token = await page.locator('.owner-steps .copy-block pre').innerText();
  put.set(`garden.example${path}`, {
    status: 200,
    body: `${token}\n`,
    headers: { 'content-type': 'text/plain' },
  });
  await page.getByRole('textbox', { name: 'Why' }).fill('<img src=x onerror=window.__ran=1>');
  await page.getByRole('button', { name: 'Check the token and do it' }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByText('Nothing is requested from this host any more').waitFor(),
      'an owner cannot stop the crawl of the own host',
    )),
  );
  await sleep(inForceMs);
  const [owned, beside] = [requestsTo('garden.example'), requestsTo('library.example')];
  if (!(await page.locator('.owner-answer tbody').innerText()).includes('http://garden.example/'))
    wrong.push('the owner does not see what was fetched');
  if ((await page.locator('.owner-answer').innerText()).includes('library'))
    wrong.push('the owner sees another host');
  await sleep(quietMs);
  if (owned < 5) wrong.push(`only ${owned} requests reached the site before it was stopped`);
  if (requestsTo('garden.example') > owned)
    wrong.push(
      `${requestsTo('garden.example') - owned} requests reached the site after its owner stopped them`,
    );
  if (requestsTo('library.example') <= beside) wrong.push('the crawl of another site stopped too');
  const { items } = await api.listOptOuts({});
  if (items.map(({ match, by }) => `${match} ${by}`).join() !== 'garden.example site owner')
    wrong.push(`opted out are ${JSON.stringify(items)}`);
  return wrong;
}

async function showHostileHosts({ page }: Visitor, url: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const text of hostileStrings.slice(0, 6)) {
    await page.goto(`${url}/owners?host=${encodeURIComponent(text.toWellFormed())}`);
    await page.getByRole('textbox', { name: 'Your host' }).waitFor();
    if ((await page.evaluate('globalThis.__ran')) !== undefined) wrong.push(`a host ran: ${text}`);
    if (await isTooWide(page)) wrong.push(`the page for owners is too wide with ${text}`);
  }
  return wrong;
}

export const ownerScreens: {
  name: string;
  path: string;
  ready: (page: Visitor['page']) => Promise<void>;
}[] = [
  {
    name: 'owners',
    path: '/owners?host=museum.example',
    async ready(page) {
      await page.getByRole('button', { name: 'Get a token' }).click();
      await page.getByText('Put the token on museum.example').waitFor();
    },
  },
];
