import { z } from 'zod';
import type { HostKey } from '../base/brands.ts';
import { hostPattern, isInSite } from '../url/host-pattern.ts';
import { siteOf } from '../url/site.ts';
import { parseUrl } from '../url/url.ts';
import type { LoginRule } from './job.ts';
import { elementPath, elementPathTrouble } from './selector.ts';
import { duration, httpUrl, urlPattern } from './values.ts';

/** A domain or an address, without a pattern: all below it is meant anyway. */
export const loginSite = z
  .string()
  .refine((text) => !text.startsWith('*') && hostPattern(text) !== undefined, {
    error: 'expected a domain such as example.org',
  })
  .transform((text) => hostPattern(text) ?? text);

/** Of an account. It is part of file names and command lines. */
export const accountName = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u, {
  error: 'an account has a name of letters, digits and . _ @ + -',
});

const selector = z
  .string()
  .max(1000)
  .superRefine((text, context) => {
    const trouble =
      elementPath(text).attribute !== undefined ? 'expected a CSS selector' : elementPathTrouble(text);
    if (trouble !== undefined) context.addIssue({ code: 'custom', message: trouble });
  });

const check = z.union(
  [
    z.literal('status'),
    z
      .strictObject({
        selector: selector
          .optional()
          .describe('An element that every HTML page has while the account is logged in'),
        text: z
          .string()
          .min(1)
          .max(1000)
          .optional()
          .describe('A text in the source of every HTML page while the account is logged in'),
        url: urlPattern.optional().describe('Where the site sends visitors who are not logged in'),
        pages: urlPattern
          .optional()
          .describe(
            'The pages that show selector and text; all others are judged by status and redirect only (default: all)',
          ),
      })
      .refine((one) => one.selector !== undefined || one.text !== undefined || one.url !== undefined, {
        error: 'needs selector, text or url',
      })
      .refine((one) => one.pages === undefined || one.selector !== undefined || one.text !== undefined, {
        path: ['pages'],
        error: 'says which pages show selector or text, and needs one of them',
      }),
  ],
  { error: 'check is { selector }, { text }, { url }, or status for sites that answer 401 or 403' },
);

export const loginRule = z.strictObject({
  site: loginSite.describe('The domain: the account is used there and on all hosts below it'),
  as: accountName.describe('The account, as `webfarer login --as` named it'),
  check: check.describe(
    'What shows that the account is logged in; the answers 401 and 403 always show that it is not, and status means only these',
  ),
  form: httpUrl
    .optional()
    .describe('The page with the login form, where a name and password are stored to log in with'),
  gap: duration
    .optional()
    .describe('The pause after each page that is read with this account, on top of what its host is owed'),
});

type CheckedRule = z.output<typeof loginRule>;

export function toLogin({ site, as, check: by, form, gap }: CheckedRule): LoginRule {
  const { selector: element, text, url, pages } = by === 'status' ? {} : by;
  return {
    site,
    as,
    check: {
      ...(element === undefined ? {} : { selector: element }),
      ...(text === undefined ? {} : { text }),
      ...(url === undefined ? {} : { url }),
      ...(pages === undefined ? {} : { pages }),
    },
    ...(form === undefined ? {} : { form }),
    ...(gap === undefined ? {} : { gapMs: gap }),
  };
}

/** What a person runs to log the account in again. */
export function loginCommand({ site, as, form }: LoginRule): string {
  const url = form ?? `https://${site}/`;
  const host = parseUrl(url)?.hostname as HostKey;
  return `webfarer login ${url} --as ${as}${siteOf(host) === site ? '' : ` --site ${site}`}`;
}

/** What no single rule can say alone. */
export function loginProblems({
  login,
  fetch,
  processes,
}: {
  login: readonly CheckedRule[];
  fetch: { cookies: boolean | string };
  processes: number;
}): { path: (string | number)[]; message: string }[] {
  if (login.length === 0) return [];
  const problems: { path: (string | number)[]; message: string }[] = [];
  if (fetch.cookies === false)
    problems.push({ path: ['fetch', 'cookies'], message: 'must not be false: a login needs cookies' });
  if (processes > 1)
    problems.push({
      path: ['processes'],
      message: 'must be 1 with a login: accounts stay in the process that was started',
    });
  for (const [i, { site, as, form }] of login.entries()) {
    const before = login.slice(0, i);
    const twice = before.findIndex((one) => one.site === site && one.as === as);
    if (twice >= 0)
      problems.push({ path: ['login', i, 'as'], message: `${as} of ${site} is login[${twice}] already` });
    const other = before.findIndex((one) => one.site !== site && overlap(one.site, site));
    if (other >= 0)
      problems.push({
        path: ['login', i, 'site'],
        message: `must be ${before[other]?.site} too, or a domain apart from it: login[${other}] is for hosts of both`,
      });
    const host = form === undefined ? undefined : parseUrl(form)?.hostname;
    if (host !== undefined && !isInSite(site, host as HostKey))
      problems.push({ path: ['login', i, 'form'], message: `must be a page of ${site}` });
  }
  return problems;
}

function overlap(one: string, other: string): boolean {
  return isInSite(one, other as HostKey) || isInSite(other, one as HostKey);
}
