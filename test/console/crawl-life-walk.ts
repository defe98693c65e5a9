import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import type { World } from './world.ts';

/** The folder of an address is preselected, what is in the way is said in the words of the worker, and a crawl that is over can be deleted. */
export async function livesOfCrawls(page: Page, world: World): Promise<string[]> {
  return [
    ...(await previewFolder(page, world)),
    ...(await nameCause(page, world)),
    ...(await deleteCrawl(page, world)),
    ...(await createTokenForTeam(page, world)),
  ];
}

async function previewFolder(page: Page, { url }: World): Promise<string[]> {
  await page.goto(`${url}/`);
  await page.getByRole('textbox', { name: 'Address of a site' }).fill('example.org/page/');
  await page.getByRole('button', { name: 'Preview' }).click();
  const chosen = page.locator('.preview-foot input[type=radio]:checked');
  await chosen.waitFor({ state: 'attached' });
  return (await chosen.inputValue()) === 'path' ? [] : [`of a folder ${await chosen.inputValue()} is chosen`];
}

/** Of an account that is not on this machine. */
async function nameCause(page: Page, { api, url }: World): Promise<string[]> {
  const name = 'without-account';
  const job = {
    name,
    seeds: ['http://reading.example/'],
    contact: 'mailto:console@webfarer.test',
    login: [{ site: 'reading.example', as: 'zoe', check: { text: 'Log out' } }],
  };
  await api.createCrawl({ body: { job } });
  await page.goto(`${url}/crawls/${name}`);
  const wrong = await expectWithin(
    page
      .locator('.crawl-says')
      .getByText('there is no account zoe of reading.example on this machine')
      .first()
      .waitFor(),
    'what is in the way of a crawl is not said',
  );
  await api.stopCrawl({ params: { crawl: name } });
  return wrong;
}

async function deleteCrawl(page: Page, { api, url }: World): Promise<string[]> {
  const params = { crawl: 'without-account' };
  await page.goto(`${url}/crawls/${params.crawl}`);
  await page.locator('.crawl-head .state', { hasText: 'stopped' }).waitFor();
  await page.locator('.crawl-head').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').locator('.modal-foot').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const wrong =
    (await api.getCrawl({ params })).name === params.crawl ? [] : ['it is deleted without consent'];
  await page.locator('.crawl-head').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete crawl' }).click();
  wrong.push(
    ...(await expectWithin(page.waitForURL(`${url}/`), 'after a crawl was deleted, Home is not shown')),
    ...(await expectWithin(
      page.getByRole('link', { name: params.crawl, exact: true }).waitFor({ state: 'detached' }),
      'a crawl that was deleted is still listed',
    )),
  );
  const left = await api.getCrawl({ params }).catch(() => undefined);
  if (left) wrong.push('a crawl that was deleted is still there');
  return wrong;
}

async function createTokenForTeam(page: Page, { api, url }: World): Promise<string[]> {
  await page.goto(`${url}/admin?show=tokens`);
  const form = page.locator('.new-token');
  await form.getByRole('textbox', { name: 'Who has it' }).fill('Night desk');
  await form.getByLabel('Team').fill('press');
  await form.getByRole('button', { name: 'Create token' }).click();
  const wrong = await expectWithin(
    form.locator('.copy-line').getByRole('button', { name: 'Copy' }).waitFor(),
    'a new token cannot be copied',
  );
  const made = (await api.listTokens({ query: { limit: 1_000 } })).items.find(
    ({ note }) => note === 'Night desk',
  );
  if (made?.team !== 'press') wrong.push(`the token is of the team ${made?.team}`);
  if (made) await api.revokeToken({ params: { token: made.id } });
  return wrong;
}
