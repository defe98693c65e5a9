import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { startPywb } from './pywb.ts';

export interface Seen {
  url: string;
  title: string;
  /** Answers of the replay tool for what the page needs. */
  requisites: number;
  /** What did not come, or came and could not be used. */
  missing: string[];
}

export interface Wanted {
  url: string;
  title: string;
  /** JavaScript that is true when the page looks and acts as it should. */
  test?: string;
}

/** Opens a WACZ file in pywb and looks at pages of it in Chromium. */
export async function seeInPywb(wacz: string, folder: string, wanted: Wanted[]): Promise<Seen[]> {
  const pywb = await startPywb(folder, { proof: [wacz] });
  try {
    // What is not in the archive must not come from anywhere else.
    const browser = await openBrowser();
    try {
      const seen: Seen[] = [];
      for (const page of wanted) seen.push(await look(browser, `${pywb.origin}/proof`, page));
      return seen;
    } finally {
      await browser.close();
    }
  } finally {
    await pywb.stop();
  }
}

async function look(browser: Browser, collection: string, wanted: Wanted): Promise<Seen> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const missing: string[] = [];
  let requisites = 0;
  page.on('requestfailed', (request) => missing.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    const url = response.url();
    // The browser asks the server itself for an icon; the archive has nothing to do with it.
    if (!url.startsWith(`${collection}/`)) {
      if (!url.startsWith(new URL(collection).origin)) missing.push(`from elsewhere: ${url}`);
      return;
    }
    if (response.status() >= 400) missing.push(`${response.status()}: ${url}`);
    else if (response.request().resourceType() !== 'document') requisites++;
  });
  await page.goto(`${collection}/${wanted.url}`, { waitUntil: 'networkidle', timeout: 60_000 });
  const title = await page.title();
  if (title !== wanted.title) missing.push(`the title of ${wanted.url} is ${JSON.stringify(title)}`);
  const blank = (await page.evaluate(
    '[...document.images].filter((i) => !i.complete || !i.naturalWidth).length',
  )) as number;
  if (blank > 0) missing.push(`${blank} images are blank`);
  if (wanted.test !== undefined && (await page.evaluate(wanted.test).catch(() => false)) !== true)
    missing.push(`not true of ${wanted.url}: ${wanted.test}`);
  await context.close();
  return { url: wanted.url, title, requisites, missing };
}
