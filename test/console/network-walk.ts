import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLightWorkers } from '../network/light-workers.ts';
import { expectWithin } from './expect-within.ts';
import { frameOf } from './machine-frames.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** The worst that a coordinator accepts: names of workers are letters, digits and a few signs. */
const names = ['W'.repeat(100), 'light-1', 'constructor'];

/** Coordinators and workers: figures against the API, workers with awkward names, and cordons. */
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
