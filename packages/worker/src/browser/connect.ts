import type { Browser } from 'playwright-core';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { BrowserElsewhere } from './browser-place.ts';
import { loadPlaywright, type OpenBrowser } from './launch.ts';
import { missingSwitches, startCommand } from './switches.ts';

/** A browser that was there before is waited for: what keeps it running may start it again. */
const comeBackMs = 30_000;
const tryAgainMs = 500;

export function connector(
  clock: Clock,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): (place: BrowserElsewhere) => Promise<OpenBrowser> {
  let wasThere = false;
  return async (place) => {
    const endsAtMs = clock.now() + (wasThere ? comeBackMs : 0);
    for (;;)
      try {
        const connected = await connectBrowser(place, timeoutMs);
        wasThere = true;
        return connected;
      } catch (error) {
        if (signal.aborted || clock.now() >= endsAtMs) throw error;
        await clock.sleep(tryAgainMs, signal).catch(() => undefined);
      }
  };
}

/**
 * Connects to a browser that another program started, and refuses one that could load pages past the worker. To end it
 * is to disconnect: Chromium then closes everything that was opened over the connection.
 */
async function connectBrowser(place: BrowserElsewhere, timeoutMs: number): Promise<OpenBrowser> {
  const { chromium } = await loadPlaywright();
  const browser = await chromium.connectOverCDP(place.url, { timeout: timeoutMs }).catch((error: unknown) => {
    throw new WebfarerError('no-browser', `cannot connect to the browser at ${place.name}: ${why(error)}`, {
      next: 'Start it, or correct WEBFARER_BROWSER. webfarer doctor tries the connection.',
    });
  });
  const kill = (): void => void browser.close().catch(() => undefined);
  try {
    await requireSwitches(browser, place);
  } catch (error) {
    kill();
    throw error;
  }
  return { browser, pid: undefined, kill };
}

async function requireSwitches(browser: Browser, { name, proxy }: BrowserElsewhere): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  // It answers only where it was started with --enable-automation.
  const commandLine = await session.send('Browser.getBrowserCommandLine').then(
    (answer) => answer.arguments,
    () => undefined,
  );
  await session.detach();
  const next = `Start it with: ${startCommand(proxy.host)}`;
  if (!commandLine)
    throw new WebfarerError('no-browser', `the browser at ${name} does not say how it was started`, { next });
  const missing = missingSwitches(commandLine, proxy.host);
  if (missing.length > 0)
    throw new WebfarerError(
      'no-browser',
      `the browser at ${name} could load pages past the worker: it lacks ${missing.join(', ')}`,
      { next },
    );
}

/** The first line of what went wrong, without addresses: they may hold a token. */
function why(error: unknown): string {
  const [line = ''] = (error as Error).message.split('\n', 1);
  return line
    .replace(/^browserType\.connectOverCDP: /, '')
    .replace(/^WebSocket error: /, '')
    .replaceAll(/\b(?:wss?|https?):\/\/\S+/gi, '')
    .trim();
}
