import type { LoginRule } from '@webfarer/protocol/job';
import { parseUrl, patternMatcher } from '@webfarer/protocol/url';
import type { Exchange } from '../fetch/fetch.ts';
import { locationOf } from '../bytes/headers.ts';
import { readTree } from '../tree/tree.ts';
import { htmlOf } from './html-of.ts';

/** Tells by an answer whether the account was logged in when it was given. All answers are reasons; undefined: logged in. */
export interface LoginSign {
  /** Pages themselves show it, not only the way they are answered. */
  readonly isSeen: boolean;
  /** This page is among those that show it. With no such sign every page is, by the way that it is answered. */
  covers(url: string): boolean;
  /** The page itself shows it. */
  shows(page: Exchange): Promise<boolean>;
  /** By status, redirect and what an HTML page shows. */
  whyOut(page: Exchange): Promise<string | undefined>;
  /** By status and redirect, for a page that is yet to be shown in a browser. */
  refusal(page: Exchange): string | undefined;
  /** By what a browser shows of a page, and where that has sent it. */
  whyOutShown(
    page: string,
    shown: { html: string; movedTo: string | undefined },
  ): Promise<string | undefined>;
}

export function createSign({ check, form }: Pick<LoginRule, 'check' | 'form'>): LoginSign {
  const { selector, text, url, pages } = check;
  const isSeen = selector !== undefined || text !== undefined;
  const covers = pages === undefined ? () => true : patternMatcher(pages);
  const isSentTo = url === undefined ? undefined : patternMatcher(url);
  const formPage = form === undefined ? undefined : placeOf(form);

  function sentAway(to: string): string | undefined {
    const place = placeOf(to);
    return place === formPage || isSentTo?.(to) ? `sent to ${place}` : undefined;
  }

  function refusal(page: Exchange): string | undefined {
    const { status } = page;
    if (status === 401 || status === 403) return `answered ${status}`;
    const location = status >= 300 && status < 400 ? locationOf(page) : undefined;
    const to = location === undefined ? undefined : parseUrl(location, page.url)?.href;
    return to === undefined ? undefined : sentAway(to);
  }

  async function lackIn(source: string): Promise<string | undefined> {
    if (text !== undefined && !source.includes(text)) return `a page without the text "${text}"`;
    if (selector === undefined) return undefined;
    const { load } = await import('cheerio/slim');
    const $ = load(readTree(source, { xml: false }) as unknown as Parameters<typeof load>[0]);
    return $(selector).length > 0 ? undefined : `a page without ${selector}`;
  }

  return {
    isSeen,
    covers: (page) => !isSeen || covers(page),
    async shows(page) {
      if (!isSeen || !covers(page.url) || page.status < 200 || page.status >= 300) return false;
      const source = await htmlOf(page);
      return source !== undefined && (await lackIn(source)) === undefined;
    },
    refusal,
    async whyOut(page) {
      const refused = refusal(page);
      // What is forbidden to the account, or is not there, is told on a page of the account.
      if (!isSeen || !covers(page.url) || (refused !== undefined && page.status !== 403)) return refused;
      if (refused === undefined && !showsPages(page.status)) return undefined;
      const source = await htmlOf(page);
      return source === undefined ? refused : await lackIn(source);
    },
    async whyOutShown(page, { html, movedTo }) {
      const away = movedTo === undefined ? undefined : sentAway(movedTo);
      return away ?? (covers(page) ? await lackIn(html) : undefined);
    },
  };
}

function showsPages(status: number): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 410;
}

/** A page without what changes from visit to visit: the page to return to stands in its query. */
function placeOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
