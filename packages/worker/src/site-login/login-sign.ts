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
  /** By status, redirect and what an HTML page shows. */
  whyOut(page: Exchange): Promise<string | undefined>;
  /** By status and redirect, for a page that is yet to be shown in a browser. */
  refusal(page: Exchange): string | undefined;
  /** By what a browser shows, and where a page has sent it. */
  whyOutShown(shown: { html: string; movedTo: string | undefined }): Promise<string | undefined>;
}

export function createSign({ check, form }: Pick<LoginRule, 'check' | 'form'>): LoginSign {
  const { selector, text, url } = check;
  const isSeen = selector !== undefined || text !== undefined;
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
    refusal,
    async whyOut(page) {
      const refused = refusal(page);
      // What is forbidden to the account, or is not there, is told on a page of the account.
      if (!isSeen || (refused !== undefined && page.status !== 403)) return refused;
      if (refused === undefined && !showsPages(page.status)) return undefined;
      const source = await htmlOf(page);
      return source === undefined ? refused : await lackIn(source);
    },
    async whyOutShown({ html, movedTo }) {
      return (movedTo === undefined ? undefined : sentAway(movedTo)) ?? (await lackIn(html));
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
