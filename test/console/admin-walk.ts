import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectWithin } from './expect-within.ts';
import { isTooWide, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** Would run, were it markup. */
const note = `<svg onload="window.__ran=1">`;
const long = 'W'.repeat(200);

/** Tokens, teams, webhooks and the audit log: each change against the API, and the webhook against a receiver. */
export async function useAdmin(visitor: Visitor, world: World): Promise<string[]> {
  const { page } = visitor;
  await page.goto(`${world.url}/`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  const wrong = await expectWithin(
    page.getByText('Nobody is logged in with an OpenID provider').waitFor(),
    'g a does not lead to the administration',
  );
  wrong.push(...(await makeToken(visitor, world)));
  wrong.push(...(await setQuota(visitor, world)));
  wrong.push(...(await useWebhook(visitor, world)));
  wrong.push(...(await readAudit(visitor, world)));
  if ((await page.evaluate('globalThis.__ran')) !== undefined) wrong.push('a text of the administration ran');
  return wrong;
}

const part = async ({ page }: Visitor, name: string): Promise<void> =>
  await page
    .getByRole('navigation', { name: 'Parts of the administration' })
    .getByRole('link', { name })
    .click();

async function makeToken(visitor: Visitor, { api, url }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await part(visitor, 'Tokens');
  await page.getByRole('textbox', { name: 'Who has it, and what for' }).fill(note);
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.locator('.secret pre').innerText();
  const ask = async () =>
    (await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${secret}` } })).status;
  if ((await ask()) !== 200) wrong.push('the new token is not accepted');
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.locator('.secret').waitFor({ state: 'hidden' });
  if ((await page.content()).includes(secret))
    wrong.push('the secret of the token is shown for longer than once');
  await page.getByRole('button', { name: `Revoke ${note}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByRole('row').filter({ hasText: note }).getByText('revoked').waitFor(),
      'a revoked token is not shown as such',
    )),
  );
  const { items } = await api.listTokens({ query: { limit: 200 } });
  if (items.find((token) => token.note === note)?.revokedAtMs === undefined)
    wrong.push('Revoke does not revoke');
  return wrong;
}

async function setQuota(visitor: Visitor, { api }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await part(visitor, 'Teams');
  await page.getByRole('textbox', { name: 'Team', exact: true }).fill('research');
  await page.getByRole('button', { name: 'Add team' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Note' }).fill(note + long);
  await dialog.getByRole('textbox', { name: 'Pages a day' }).fill('5000');
  await dialog.getByRole('textbox', { name: 'Gigabytes a month' }).fill('1.5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  wrong.push(
    ...(await expectWithin(page.getByText('0 of 5,000').waitFor(), 'a new quota is not shown with its use')),
  );
  const params = { team: 'research' };
  const made = await api.getTeam({ params });
  if (JSON.stringify(made.quotas) !== JSON.stringify({ pagesPerDay: 5_000, bytesPerMonth: 1_500_000_000 }))
    wrong.push(`the quotas are ${JSON.stringify(made.quotas)}`);
  await page.getByRole('button', { name: 'Edit research' }).click();
  await dialog.getByRole('textbox', { name: 'Pages a day' }).fill('');
  await dialog.getByRole('textbox', { name: 'Weight' }).fill('2.5');
  // Another admin is faster: nothing may be overwritten.
  await api.putTeam({ params, body: { note: 'faster', quotas: { crawls: 3 } } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  wrong.push(
    ...(await expectWithin(
      dialog.getByText('has changed since').waitFor(),
      'the change of another admin is overwritten',
    )),
  );
  await page.keyboard.press('Escape');
  if ((await api.getTeam({ params })).note !== 'faster') wrong.push('the change of another admin is lost');
  return wrong;
}

/** Refuses what comes first for good, then takes all. */
async function openReceiver() {
  const messages: { id: string; type: string; signature: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { type } = JSON.parse(body) as { type: string };
      messages.push({
        id: String(request.headers['webhook-id']),
        type,
        signature: String(request.headers['webhook-signature']),
      });
      response.writeHead(messages.length === 1 ? 410 : 204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    stop: () => new Promise((done) => server.close(done)),
  };
}

async function useWebhook(visitor: Visitor, { api }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  const receiver = await openReceiver();
  try {
    await part(visitor, 'Webhooks');
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
    for (const event of ['A crawl has fetched all', 'A crawl has paused', 'A recrawl has found'])
      await page.getByRole('checkbox', { name: event }).click();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await page.locator('.secret pre').innerText();
    if (!secret.startsWith('whsec_')) wrong.push(`the secret of a webhook is ${secret}`);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.locator('.secret').waitFor({ state: 'hidden' });
    if ((await page.content()).includes(secret)) wrong.push('the secret of a webhook is shown again');
    const card = page.getByRole('region', { name: receiver.url });
    await card.getByRole('button', { name: `Send a test ${receiver.url}` }).click();
    // The receiver says 410, which gives the message up.
    wrong.push(
      ...(await expectWithin(
        card.getByText('answered 410').waitFor(),
        'a refused message is not shown as such',
      )),
    );
    await card.getByRole('button', { name: /^Send again/ }).click();
    wrong.push(
      ...(await expectWithin(card.getByText('answered 204').waitFor(), 'a message cannot be sent again')),
    );
    const [first, second] = receiver.messages;
    if (first?.type !== 'webhook.test' || second?.id !== first.id || !second.signature.startsWith('v1,'))
      wrong.push(`the receiver got ${JSON.stringify(receiver.messages)}`);
    await card.getByRole('button', { name: `Disable ${receiver.url}` }).click();
    wrong.push(...(await expectWithin(card.getByText('disabled').waitFor(), 'a webhook cannot be disabled')));
    await card.getByRole('button', { name: `Delete ${receiver.url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await card.waitFor({ state: 'hidden' });
    if ((await api.listWebhooks({})).items.length > 0) wrong.push('Delete does not delete a webhook');
  } finally {
    await receiver.stop();
  }
  // The worst that the API takes as an address.
  const url = `https://hooks.example/<img%20src=x%20onerror=window.__ran=1>${long}`;
  await api.createWebhook({ body: { url, events: ['crawl.finished'], enabled: false } });
  await page.reload();
  await page.getByRole('region', { name: url }).waitFor();
  if (await isTooWide(page)) wrong.push('a long address of a webhook breaks the layout');
  return wrong;
}

async function readAudit(visitor: Visitor, { api, url }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await part(visitor, 'Audit');
  await page.getByRole('textbox', { name: 'Action' }).fill('putTeam');
  await page.getByText(/^2 of \d+ changes/).waitFor();
  if (!page.url().includes('action=putTeam')) wrong.push(`the filter is not in the address: ${page.url()}`);
  const shown = await page.locator('table.audit tbody tr').allInnerTexts();
  if (shown.length !== 2 || !shown.every((row) => row.includes('/v1/teams/research')))
    wrong.push(`the audit log shows ${JSON.stringify(shown)}`);
  const crawl = `${note}${'x'.repeat(150)}`.slice(0, 100);
  await api
    .createCrawl({ body: { job: { seeds: ['http://attic.example/'], name: crawl, limits: { pages: 1 } } } })
    .catch(() => undefined);
  await page.goto(`${url}/admin?show=audit&action=createCrawl`);
  await page.locator('table.audit tbody tr').first().waitFor();
  if (await isTooWide(page)) wrong.push('the audit log is too wide');
  await page.goto(`${url}/admin?show=audit&who=${encodeURIComponent(note)}`);
  wrong.push(
    ...(await expectWithin(
      page.getByText('No change fits').waitFor(),
      'a filter that fits nothing is not told',
    )),
  );
  return wrong;
}

const screen = (show: string, ready: (page: Visitor['page']) => Promise<unknown>) => ({
  name: `admin-${show}`,
  path: `/admin?show=${show}`,
  ready: async (page: Visitor['page']) => void (await ready(page)),
});

export const adminScreens = [
  screen('people', (page) => page.locator('table.people tbody tr').nth(2).waitFor()),
  screen('tokens', (page) => page.locator('#tokens').waitFor()),
  screen('teams', (page) => page.getByRole('button', { name: 'Edit research' }).waitFor()),
  screen('webhooks', (page) => page.locator('.webhook').first().waitFor()),
  screen('audit', (page) => page.locator('table.audit tbody tr').first().waitFor()),
];
