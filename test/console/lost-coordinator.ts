import type { Page } from 'playwright-core';
import { until } from '../prove/lab.ts';

/** A browser hears at once that a process is gone, unless the machine is busy. */
const noticedMs = 30_000;

const watchMark = `(() => {
  const mark = document.querySelector('.mark');
  globalThis.__marks = [];
  const note = () => globalThis.__marks.push([mark.className, performance.now()]);
  new MutationObserver(note).observe(mark, { attributes: true, attributeFilter: ['class'] });
})()`;

/** The id of the coordinator that a page is connected to, as its mark says. */
export async function coordinatorOf(page: Page, ids: readonly string[]): Promise<number> {
  await page.getByText('Live', { exact: true }).waitFor();
  const hint = (await page.locator('.mark').getAttribute('title')) ?? '';
  const at = ids.findIndex((id) => hint.includes(id));
  if (at < 0) throw new Error(`the page does not say which coordinator it is connected to: ${hint}`);
  return at;
}

/** From now on every change of the mark is written down. */
export async function watchStale(page: Page): Promise<void> {
  await page.evaluate(watchMark);
}

/** For how long the mark said that the figures were stale, once it says that they are live again; undefined: it never did. */
export async function staleMs(page: Page): Promise<number | undefined> {
  const read = async () => (await page.evaluate('globalThis.__marks')) as [string, number][];
  const isStale = async () => (await read()).some(([name]) => name.includes('stale'));
  await until('the mark to say stale', isStale, noticedMs).catch(() => undefined);
  await page.locator('.mark.live').waitFor();
  const marks = await read();
  const [stale, live] = [
    marks.find(([name]) => name.includes('stale')),
    marks.findLast(([name]) => name.includes('live')),
  ];
  return stale && live && live[1] > stale[1] ? Math.round(live[1] - stale[1]) : undefined;
}
