import type { Browser, LaunchOptions } from 'playwright-core';
import { WebfarerError } from '@webfarer/protocol';
import { launchSwitches } from './switches.ts';

export interface OpenBrowser {
  browser: Browser;
  /** Of its first process, which started all others; undefined: this worker did not start it. */
  pid: number | undefined;
  /** Ends everything that is open in it at once, whatever it is doing. */
  kill(): void;
}

export interface LaunchRequest {
  executablePath: string;
  /** The one key whose certificates it takes for any name. */
  keyDigest: string;
  timeoutMs: number;
}

export async function launchBrowser({
  executablePath,
  keyDigest,
  timeoutMs,
}: LaunchRequest): Promise<OpenBrowser> {
  const { chromium } = await loadPlaywright();
  const options: LaunchOptions = {
    executablePath,
    // Chromium refuses its sandbox to root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: launchSwitches(keyDigest),
    // Whoever ends the worker ends it in order.
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    timeout: timeoutMs,
  };
  const browser = await chromium.launch(options);
  const pid = await processOf(browser);
  return {
    browser,
    pid,
    kill() {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It is gone.
      }
    },
  };
}

export async function loadPlaywright(): Promise<typeof import('playwright-core')> {
  return await import('playwright-core').catch((error: unknown) => {
    throw new WebfarerError('no-browser', `playwright-core cannot be loaded: ${(error as Error).message}`, {
      next: 'Install it beside Webfarer: npm install playwright-core',
    });
  });
}

async function processOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const main = processInfo.find(({ type }) => type === 'browser');
  if (main === undefined) throw new Error('the browser does not say which process it is');
  return main.id;
}
