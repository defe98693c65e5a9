import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import type { World } from './world.ts';

const crawl = 'packed.example';
const captured = `http://${crawl}/`;

/** What is saved can be read while its crawl runs, whatever it was packed in, and as a browser drew it. */
export async function readSaved(page: Page, { api, url }: World): Promise<string[]> {
  const screenOf = (crawl: string, of: string) => `${url}/crawls/${crawl}/url?url=${encodeURIComponent(of)}`;
  const job = { seeds: [captured], contact: 'mailto:console@webfarer.test', politeness: { gap: '5s' } };
  await api.createCrawl({ body: { job } });
  await page.goto(`${url}/crawls/${crawl}`);
  await page.locator('.legend dd').first().filter({ hasText: /[1-9]/ }).waitFor();
  await page.goto(screenOf(crawl, captured));
  const preview = page.locator('.preview-part');
  const wrong = await expectWithin(
    preview.getByText('Packed, page 0').waitFor(),
    'a page of a crawl that runs is not shown, or not one that was sent with brotli',
  );
  const { state } = await api.getCrawl({ params: { crawl } });
  if (state !== 'running') wrong.push(`the crawl whose page is shown is ${state}`);
  await api.stopCrawl({ params: { crawl } });
  await page.goto(screenOf('gallery', 'http://gallery.example/still-life'));
  wrong.push(
    ...(await expectWithin(
      preview.getByText('La nature morte hangs in the long room.').waitFor(),
      'the text of a page that a browser drew is not shown',
    )),
  );
  await preview.getByText('Source', { exact: true }).click();
  wrong.push(
    ...(await expectWithin(
      preview.getByText('document.body.innerHTML').waitFor(),
      'the source of a page that a browser drew is not what the site sent',
    )),
  );
  return wrong;
}
