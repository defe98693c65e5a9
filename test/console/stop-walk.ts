import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

export interface StopWalked {
  wrong: string[];
  /** From the list of crawls until everything is being stopped. */
  stopAllClicks: number;
}

/** Stops everything that runs or is paused, and resumes what ran. */
export async function stopEverything(visitor: Visitor, { api, url }: World): Promise<StopWalked> {
  const { page, click } = visitor;
  const open = async (...state: ('running' | 'paused')[]) =>
    (await api.listCrawls({ query: { state, limit: 1_000 } })).items.map(({ id }) => id).toSorted();
  const wrong: string[] = [];
  await page.goto(`${url}/`);
  const button = page.getByRole('button', { name: 'Stop all' });
  await button.waitFor();
  const [running, all] = [await open('running'), await open('running', 'paused')];
  if (running.length < 1 || all.length <= running.length)
    wrong.push(`${running.length} of ${all.length} crawls run: too few to stop`);
  const before = visitor.clicks();
  await click(button);
  const dialog = page.getByRole('dialog');
  wrong.push(
    ...(await expectWithin(
      dialog.getByText(`${running.length} running, ${all.length - running.length} paused:`).waitFor(),
      'the question does not say how many of which',
    )),
  );
  await click(dialog.getByRole('button', { name: 'Stop all' }));
  const stopAllClicks = visitor.clicks() - before;
  const said = `${all.length} crawls were stopped.`;
  wrong.push(...(await expectWithin(page.getByText(said).waitFor(), `it is not said that ${said}`)));
  const still = await open('running', 'paused');
  if (still.length > 0) wrong.push(`${still.length} crawls are not stopped`);
  wrong.push(
    ...(await expectWithin(button.waitFor({ state: 'hidden' }), 'there is still something to stop')),
  );
  await page.getByRole('button', { name: /^Resume the / }).click();
  wrong.push(
    ...(await expectWithin(
      page.getByText(`Resumed: ${running.length}.`).waitFor(),
      'it is not said what was resumed',
    )),
  );
  const again = await open('running', 'paused');
  if (again.join() !== running.join()) wrong.push(`${again.length} crawls run again, not ${running.length}`);
  return { wrong, stopAllClicks };
}

export const stopScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'stop-all',
    path: '/',
    async ready(page) {
      await page.getByRole('button', { name: 'Stop all' }).click();
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Stop all' });
      // Until the dialog has come to rest: it fades in.
      await confirm.click({ trial: true });
      await confirm.evaluate((button) =>
        Promise.all(
          button.ownerDocument.getAnimations().map((each: { finished: Promise<unknown> }) => each.finished),
        ),
      );
    },
  },
];
