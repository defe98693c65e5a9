import type { LaunchOptions } from 'playwright-core';
import { WebfarerError } from '@webfarer/protocol';
import { loadPlaywright } from './launch.ts';
import { lookInto } from './look-into.ts';
import type { LoginWindow } from './window-look.ts';

export async function openLoginWindow({
  executablePath,
  url,
}: {
  executablePath: string;
  url: string;
}): Promise<LoginWindow> {
  const { chromium } = await loadPlaywright();
  const options: LaunchOptions = {
    executablePath,
    headless: false,
    // Chromium refuses its sandbox to root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--no-first-run', '--disable-sync', '--password-store=basic'],
  };
  const browser = await chromium.launch(options).catch((error: unknown) => {
    const why = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new WebfarerError('no-browser', `no window could be opened: ${why}`, {
      next: 'Where there is no desktop, add --view: the browser is then shown in yours. --cookies cookies.txt takes a login from another browser.',
    });
  });
  const context = await browser.newContext({ viewport: null });
  const page = await context.newPage();
  // What is wrong with the address is shown in the window.
  await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
  return {
    look: () => lookInto(browser, context),
    close: () => browser.close().catch(() => undefined),
  };
}
