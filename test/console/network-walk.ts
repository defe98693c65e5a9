import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLightWorkers } from '../network/light-workers.ts';
import { expectWithin } from './expect-within.ts';
import { frameOf } from './machine-frames.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** The worst that a coordinator accepts: names of workers are letters, digits and a few signs. */
const names = ['W'.repeat(100), 'light-1', 'constructor'];
/** Would run, were it markup. */
const note = `<svg onload="window.__ran=1">`;

/** Coordinators, workers and tokens: figures against the API, workers with awkward names, cordons, and a token that is shown once. */
export async function useNetwork({ page }: Visitor, world: World, folder: string): Promise<string[]> {
  const wrong: string[] = [];
  const light = await startLightWorkers({
    count: names.length,
    idOf: (n) => names[n] ?? '',
    urlOf: () => world.url,
    token: readFileSync(join(folder, 'worker.token'), 'utf8').trim(),
    folder: join(folder, 'light'),
    frameOf,
  });
  try {
    await page.goto(`${world.url}/`);
    await page.locator('.strip-link').click();
    await page.getByRole('heading', { level: 1, name: 'Network' }).waitFor();
    const { items } = await world.api.listWorkers();
    wrong.push(
      ...(await expectWithin(
        page.getByText(`1 coordinator, ${items.length} workers`).waitFor(),
        `the network is not said to have ${items.length} workers`,
      )),
    );
    for (const { worker, connections } of items) {
      const row = page.getByRole('row').filter({ has: page.getByText(worker, { exact: true }) });
      const told = row.getByText(new RegExp(`^\\d+ / ${connections}$`));
      wrong.push(...(await expectWithin(told.waitFor(), `${worker} is not shown with ${connections} hosts`)));
    }
    const row = page.getByRole('row').filter({ has: page.getByText('light-1', { exact: true }) });
    await row.getByText('%').first().waitFor();
    wrong.push(...(await cordon(page, world)));
    wrong.push(...(await makeToken(page, world)));
    if ((await page.evaluate('globalThis.__ran')) !== undefined) wrong.push('the note of a token ran');
    return wrong;
  } finally {
    await Promise.all(light.map((one) => one.stop()));
  }
}

async function cordon(page: Visitor['page'], { api }: World): Promise<string[]> {
  const stateOf = async () =>
    (await api.listWorkers()).items.find(({ worker }) => worker === 'light-1')?.cordon;
  const row = page.getByRole('row').filter({ has: page.getByText('light-1', { exact: true }) });
  const wrong: string[] = [];
  await page.getByRole('button', { name: 'Cordon light-1' }).click();
  if ((await stateOf()) !== 'active') wrong.push('a worker is cordoned without being asked');
  await page.getByRole('dialog').getByRole('button', { name: 'Cordon', exact: true }).click();
  wrong.push(
    ...(await expectWithin(row.getByText('cordoned').waitFor(), 'a cordoned worker is not shown as such')),
  );
  if ((await stateOf()) !== 'cordoned') wrong.push('Cordon does not cordon');
  await page.getByRole('button', { name: 'Uncordon light-1' }).click();
  wrong.push(...(await expectWithin(row.getByText('active').waitFor(), 'Uncordon is not shown')));
  return wrong;
}

async function makeToken(page: Visitor['page'], { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  await page.getByRole('textbox', { name: 'Who has it, and what for' }).fill(note);
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.locator('.secret code').innerText();
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
