import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium that can reach nothing but this machine. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env.WEBFARER_CHROMIUM ?? browsers.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('there is no Chromium here; set WEBFARER_CHROMIUM');
  return chromium.launch({
    executablePath,
    // Chromium refuses its sandbox to root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Two addresses, for what must be another site to a browser: ports are of the same one.
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2'],
  });
}
