import type { Browser, BrowserContext } from 'playwright-core';
import type { FileCookie } from '../fetch/cookies-txt.ts';
import type { WindowLook } from './window-look.ts';

/** Apart from what programs see: they may be checked without playwright-core. */
export async function lookInto(browser: Browser, context: BrowserContext): Promise<WindowLook | undefined> {
  if (!browser.isConnected() || context.pages().length === 0) return undefined;
  try {
    const { cookies, origins } = await context.storageState();
    const sources = await Promise.all(context.pages().map((one) => one.content().catch(() => '')));
    return { cookies: cookies.map(plainCookie), storage: origins, sources };
  } catch {
    return undefined;
  }
}

interface WindowCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
}

function plainCookie({ name, value, domain, path, expires, httpOnly, secure }: WindowCookie): FileCookie {
  return {
    host: domain.replace(/^\./, '').toLowerCase(),
    subdomains: domain.startsWith('.'),
    path,
    secure,
    httpOnly,
    ...(expires > 0 ? { expiresAtMs: expires * 1_000 } : {}),
    name,
    value,
  };
}
