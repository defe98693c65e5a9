import type { Browser } from 'playwright-core';
import { until } from '../prove/lab.ts';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import { isTooWide, type Noticed, openVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** The promise to owners: in force within a minute. */
const inForceMs = 60_000;
/** Requests to a host that nobody slows: while it gets so many, one with the same pace would get about as many. */
const span = 150;
/** Of that, at a pause of 10 s in place of 20 ms, however much the machine has to do. */
const mostSlowed = span / 10;
const [stopped, slowed, beside] = ['garden.example', 'library.example', 'orchard.example'] as const;
const contact = 'mailto:console@webfarer.test';
const path = '/.well-known/webfarer-owner.txt';

/**
 * The owner of a site that is being crawled comes without a token, fails without a proof, then stops the crawl of the
 * site with one, and has it resumed; another owner slows it down. How many requests reach the sites says what came of it,
 * beside a third one that nobody asks anything for.
 */
export async function useOwnersPage(
  browser: Browser,
  world: World,
): Promise<{ wrong: string[]; noticed: Noticed }> {
  const { api, url } = world;
  const crawls: string[] = [stopped, slowed, beside];
  const crawl = (host: string, name = host) =>
    api.createCrawl({
      body: { job: { name, seeds: [`http://${host}/`], contact, politeness: { gap: '20ms' } } },
    });
  for (const host of crawls) await crawl(host);
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
  await until('sites to be crawled', () => crawls.every((host) => world.requestsTo(host) >= 5), inForceMs);
  wrong.push(...(await stopAndSlow(visitor, world)));
  // Whatever is crawled while it is stopped, nothing of it is asked for.
  const whileStopped = world.requestsTo(stopped);
  await crawl(stopped, 'garden-meanwhile');
  await watch(world, stopped);
  if (world.requestsTo(stopped) > whileStopped)
    wrong.push('a new crawl reaches the site that its owner stopped');
  wrong.push(...(await resume(visitor, world)));
  await crawl(stopped, 'garden-again');
  crawls.push('garden-meanwhile', 'garden-again');
  wrong.push(
    ...(await expectWithin(
      until('requests', () => world.requestsTo(stopped) >= whileStopped + 20, inForceMs),
      'the site is not crawled again after its owner took it back',
    )),
  );
  wrong.push(...(await showHostileHosts(visitor, url)));
  const text = await (await fetch(`${url}/owners.txt`)).text();
  if (!text.includes('Disallow: /')) wrong.push('the page for owners has no text without JavaScript');
  await api.deleteHostRule({ params: { match: slowed } });
  for (const name of crawls) {
    await api.stopCrawl({ params: { crawl: name } });
    await api.deleteCrawl({ params: { crawl: name } });
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
  await askFor(visitor, beside);
  // A redirect to where the token could be.
  put.set(`${beside}${path}`, {
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

/** Proves that the host is theirs, and says what the owner wants. */
async function wish(
  visitor: Visitor,
  { put }: World,
  host: string,
  want: 'stop' | 'slow' | 'resume',
): Promise<void> {
  const { page } = visitor;
  await askFor(visitor, host);
  const token = await page.locator('.owner-steps .copy-block pre').innerText();
  put.set(`${host}${path}`, { status: 200, body: `${token}\n`, headers: { 'content-type': 'text/plain' } });
  await page.getByRole('combobox', { name: '3. What do you want?' }).selectOption(want);
  if (want === 'slow')
    await page.getByRole('combobox', { name: 'Least time between two requests' }).selectOption('10000');
  if (want !== 'resume')
    await page.getByRole('textbox', { name: 'Why' }).fill('<img src=x onerror=window.__ran=1>');
  await page.getByRole('button', { name: 'Check the token and do it' }).click();
}

/** How many requests a host gets while the one beside it gets a span of them. */
async function watch({ requestsTo }: World, host: string, many = span): Promise<number> {
  const [from, besideFrom] = [requestsTo(host), requestsTo(beside)];
  await until(`${many} requests to ${beside}`, () => requestsTo(beside) >= besideFrom + many, 300_000);
  return requestsTo(host) - from;
}

/** What an owner asked for holds within a minute, and from then on. */
async function holdsFor(world: World, host: string, most: number): Promise<string[]> {
  const from = performance.now();
  while ((await watch(world, host, span / 5)) > most / 5)
    if (performance.now() - from > inForceMs)
      return [`what the owner of ${host} asked for is not in force within a minute`];
  const came = await watch(world, host);
  return came > most ? [`${came} requests reached ${host} after it was in force, not at most ${most}`] : [];
}

async function stopAndSlow(visitor: Visitor, world: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await wish(visitor, world, stopped, 'stop');
  wrong.push(
    ...(await expectWithin(
      page.getByText('Nothing is requested from this host any more').waitFor(),
      'an owner cannot stop the crawl of the own host',
    )),
  );
  const fetched = page.locator('.owner-answer');
  if (!(await fetched.locator('tbody').innerText()).includes(`http://${stopped}/`))
    wrong.push('the owner does not see what was fetched');
  const shown = await fetched.innerText();
  if (shown.includes('library') || shown.includes('orchard')) wrong.push('the owner sees another host');
  await wish(visitor, world, slowed, 'slow');
  wrong.push(
    ...(await expectWithin(
      page.getByText(/^At least .* pass between two requests/).waitFor(),
      'an owner cannot slow down the crawl of the own host',
    )),
  );
  const found = await Promise.all([holdsFor(world, stopped, 0), holdsFor(world, slowed, mostSlowed)]);
  wrong.push(...found.flat());
  const { items } = await world.api.listOptOuts({});
  if (items.map(({ match, by }) => `${match} ${by}`).join() !== `${stopped} site owner`)
    wrong.push(`opted out are ${JSON.stringify(items)}`);
  const rule = await world.api.getHostRule({ params: { match: slowed } });
  if (rule.gapMs !== 10_000) wrong.push(`an owner who slows down sets ${JSON.stringify(rule)}`);
  return wrong;
}

async function resume(visitor: Visitor, world: World): Promise<string[]> {
  await wish(visitor, world, stopped, 'resume');
  const { page } = visitor;
  const isBack = page.getByText('No rule holds for this host');
  // A host is asked about once in 10 s.
  const tooSoon = page.locator('.owner-steps').getByRole('alert');
  for (let tries = 0; tries < 20; tries++) {
    await isBack.or(tooSoon).first().waitFor();
    if (await isBack.isVisible()) break;
    await page.waitForTimeout(1_000);
    await page.getByRole('button', { name: 'Check the token and do it' }).click();
  }
  const wrong = await expectWithin(isBack.waitFor(), 'an owner cannot take back a stop');
  const { items } = await world.api.listOptOuts({});
  if (items.length > 0) wrong.push(`opted out are still ${JSON.stringify(items)}`);
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
