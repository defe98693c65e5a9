import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import { galleryColor } from './sites.ts';
import type { World } from './world.ts';

/** Of a crawl with pages that a browser drew, and a picture of each. */
const picturedUrl = 'http://gallery.example/still-life';
const screen = `/crawls/gallery/url?url=${encodeURIComponent(picturedUrl)}`;

/** Each is a page with a picture; all texts together are one more. */
const somePictures = 6;

interface Saved {
  saver: string;
  file: string;
  member?: string;
  shared?: true;
}
/** As much of a canvas as is asked here. */
interface Canvas {
  getContext(kind: '2d'): { getImageData(...at: number[]): { data: Iterable<number> } } | null;
}
type Document = { record: { url: string; saved: Saved[] } };

/** The picture that a browser took is really drawn, and a capture that is elsewhere is named with the way to it. */
export async function seePicture(page: Page, { url }: World): Promise<string[]> {
  await page.goto(url + screen);
  await choosePicture(page);
  const wrong = await expectWithin(
    page.locator('.picture-facts', { hasText: '1,280 × 720' }).waitFor(),
    'no picture of the page is shown',
  );
  // In the margin of the page: its color, not that of an empty canvas.
  const color = await page
    .locator('canvas.picture')
    .evaluate((at) => [...((at as unknown as Canvas).getContext('2d')?.getImageData(5, 5, 1, 1).data ?? [])]);
  if (color.join() !== [...galleryColor, 255].join()) wrong.push(`the picture has the color ${color.join()}`);
  const seen = await page.locator('canvas.picture').boundingBox();
  if (!seen || seen.width < 200) wrong.push(`the picture is ${seen?.width} wide`);
  const coming = page.waitForEvent('download');
  await page.locator('.picture-box').getByRole('button', { name: 'Download' }).click();
  if ((await coming).suggestedFilename() !== 'view.png') wrong.push('the picture has another name');
  await alter(page, ({ record }) => {
    for (const one of record.saved) one.shared = true;
  });
  await page.goto(url + screen);
  await choosePicture(page);
  wrong.push(
    ...(await expectWithin(
      page.getByText('The capture is in the object storage of the crawl, in archive/').waitFor(),
      'it is not said where a capture is',
    )),
  );
  const told = await page.locator('.preview-part pre').innerText();
  const right = `webfarer warc cat ${picturedUrl} --folder FOLDER --rendition view > view.png`;
  if (told !== right) wrong.push(`the way to a capture is ${told}`);
  await page.unroute(documents);
  return wrong;
}

const choosePicture = (page: Page) => page.locator('.preview-head').getByText('Screenshot').click();
const documents = '**/v1/crawls/gallery/url?*';

/** What the coordinator records about a URL, with another end. */
async function alter(page: Page, change: (document: Document) => void): Promise<void> {
  await page.route(documents, async (route) => {
    const answer = await route.fetch();
    const document = (await answer.json()) as Document;
    change(document);
    await route.fulfill({ response: answer, json: document });
  });
}

/** Hostile texts in the name of a picture, and in those of files and folders that are elsewhere. */
export async function showHostilePictures(
  page: Page,
  { url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const joined = hostileStrings.join(' ');
  for (const text of [...hostileStrings.slice(0, somePictures), joined]) {
    await alter(page, ({ record }) => void (record.url = `http://gallery.example/${text}`));
    await page.goto(url + screen);
    await choosePicture(page);
    await page.locator('.picture-facts', { hasText: '1,280 × 720' }).waitFor();
    await judge(`the picture of ${text}`);
    await page.unroute(documents);
  }
  const places: ((one: Saved) => void)[] = [
    (one) => void Object.assign(one, { file: joined, shared: true }),
    (one) => void Object.assign(one, { file: `archive/${joined}`.slice(0, 900), member: joined }),
    (one) => void Object.assign(one, { saver: joined }),
  ];
  for (const [n, place] of places.entries()) {
    await alter(page, ({ record }) => record.saved.forEach(place));
    await page.goto(url + screen);
    await choosePicture(page);
    await page.locator('.elsewhere').waitFor();
    await judge(`a capture at the hostile place ${n}`);
    await page.unroute(documents);
  }
}

export const pictureScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'url-screenshot',
    path: screen,
    async ready(page) {
      await choosePicture(page);
      await page.locator('.picture-facts', { hasText: '1,280 × 720' }).waitFor();
    },
  },
];
