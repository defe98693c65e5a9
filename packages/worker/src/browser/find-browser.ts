import { existsSync } from 'node:fs';

/**
 * Where Chromium and Chrome are installed by their packages, on Linux, macOS and Windows. The shell comes first: it has no
 * window to draw, and a page costs it much less CPU time.
 */
export const browserPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** The program of a browser on this machine; undefined: there is none in the usual places. */
export function findBrowser(): string | undefined {
  return browserPaths.find((path) => existsSync(path));
}
