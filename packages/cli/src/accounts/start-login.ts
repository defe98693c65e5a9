import type { LoginWish, StartedLogin } from '@webfarer/coordinator/server';
import { type Clock, type Url, WebfarerError } from '@webfarer/protocol';
import { hostOf, isInSite } from '@webfarer/protocol/url';
import {
  type Account,
  createSign,
  findBrowser,
  isElsewhere,
  type LoginSign,
  type LoginWindow,
  openLiveBrowser,
  type WindowLook,
} from '@webfarer/worker';
import { browserSettings } from '../machine/browser-settings.ts';
import { accountPlace } from '../machine/state-folder.ts';
import { givenCredentials } from '../secrets/given-secrets.ts';
import { plural } from '../terminal/format.ts';
import { openAccountStore } from './account-store.ts';

/** How often it is looked whether the person is done. */
export const LOOK_MS = 500;

/** Opens a browser of this machine for a person elsewhere, and keeps what they log in to. */
export async function startLogin(wish: LoginWish, clock: Clock): Promise<StartedLogin> {
  const { site, as } = wish;
  const browser = await openLiveBrowser({ executablePath: browserProgram(), url: wish.url, clock });
  return {
    browser,
    seen: untilSeen(browser, signOf(wish), clock),
    async keep() {
      const look = await browser.look();
      const account = accountOf(site, look ?? { cookies: [], storage: [] });
      if (isEmpty(account)) return { missing: `Nothing of ${site} is there to keep yet. Log in first.` };
      await openAccountStore(accountPlace()).write({ site, as }, account, clock.now());
      return { kept: contentsOf(account) };
    },
  };
}

function findProgram(): string | undefined {
  const { browser } = browserSettings();
  // A window is of this machine, wherever pages of crawls are shown.
  return browser === undefined || isElsewhere(browser) ? findBrowser() : browser;
}

/** Whether a person can log in here. */
export const hasBrowser = (): boolean => findProgram() !== undefined;

export function browserProgram(): string {
  const program = findProgram();
  if (program !== undefined) return program;
  throw new WebfarerError('no-browser', 'there is no browser on this machine', {
    next: 'Install Chromium or Chrome (on Debian: apt-get install chromium), or use --cookies FILE.',
  });
}

export function signOf({ selector, text }: Pick<LoginWish, 'selector' | 'text'>): LoginSign {
  return createSign({
    check: {
      ...(selector === undefined ? {} : { selector }),
      ...(text === undefined ? {} : { text }),
    },
  });
}

/** One of the pages that are open shows that the person is logged in. */
export async function isSeen({ sources }: WindowLook, sign: LoginSign): Promise<boolean> {
  for (const html of sign.isSeen ? sources : [])
    if ((await sign.whyOutShown('', { html, movedTo: undefined })) === undefined) return true;
  return false;
}

async function untilSeen(window: LoginWindow, sign: LoginSign, clock: Clock): Promise<void> {
  const never = new Promise<never>(() => undefined);
  if (!sign.isSeen) return await never;
  for (let look = await window.look(); look; look = await window.look()) {
    if (await isSeen(look, sign)) return;
    await clock.sleep(LOOK_MS);
  }
  return await never;
}

/** What a browser has of the site, and what was given to log in with. */
export function accountOf(site: string, { cookies, storage }: Pick<Account, 'cookies' | 'storage'>): Account {
  return {
    cookies: cookies.filter(({ host }) => isInSite(site, hostOf(`http://${host}/` as Url))),
    storage: storage.filter(({ origin }) => isInSite(site, hostOf(`${origin}/` as Url))),
    credentials: givenCredentials().filter(({ origin }) => isInSite(site, hostOf(`${origin}/` as Url))),
  };
}

export function isEmpty({ cookies, storage, credentials }: Account): boolean {
  return cookies.length + storage.length + credentials.length === 0;
}

export function contentsOf({ cookies, storage, credentials }: Account): string {
  return [
    plural(cookies.length, 'cookie'),
    `storage of ${plural(storage.length, 'origin')}`,
    ...(credentials.length > 0 ? ['a name and password or token'] : []),
  ].join(', ');
}
