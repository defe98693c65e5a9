import type { BrowserSettings } from '@webfarer/worker';

/** What this machine's owner chose for showing pages. */
export function browserSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): BrowserSettings {
  return {
    browser: env['WEBFARER_BROWSER'] || undefined,
    browserProxy: env['WEBFARER_BROWSER_PROXY'] || undefined,
    typedText: (name) => env[name],
  };
}
