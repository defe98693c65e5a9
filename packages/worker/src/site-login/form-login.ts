import type { Url } from '@webfarer/protocol';
import { hostOf, isInSite, originOf, parseUrl } from '@webfarer/protocol/url';
import type { FetchedPage } from '../fetch/fetch.ts';
import { locationOf } from '../bytes/headers.ts';
import { fillLogin } from '../forms/fill-login.ts';
import { bestLogin, findForms } from '../forms/find-forms.ts';
import type { FoundForm } from '../forms/form.ts';
import { htmlOf } from './html-of.ts';
import type { LoginRequest, LoginWay } from './login-way.ts';
import type { FormAccess, FormAnswer, SiteLogin } from './site-login.ts';

/** In a row. */
const mostRedirects = 5;

/** Logs an account in as a person would: reads the form, sends it with everything the page put in, looks where it leads. */
export async function logInByForm(login: SiteLogin, access: FormAccess, way: LoginWay): Promise<FormAnswer> {
  const page = await follow(login, access.at as Url, way);
  if (typeof page === 'string') return { kind: 'unsent', why: `the login form cannot be read: ${page}` };
  const forms = findForms((await htmlOf(page)) ?? '', page.url);
  const form = bestLogin(forms);
  const trouble = form ? troubleWith(form, page.url, access) : `no login form at ${access.at}`;
  if (!form || trouble !== undefined) return { kind: 'unable', why: trouble ?? '' };
  const { url, method, body, contentType } = fillLogin(form, access);
  const end = await follow(login, url as Url, way, { method, body, contentType });
  if (typeof end === 'string') return { kind: 'out', why: `the login form was not answered: ${end}` };
  const why = (await login.sign.whyOut(end)) ?? (await asksAgain(end));
  if (why !== undefined) return { kind: 'out', why: `the login form was refused: ${why}` };
  return { kind: 'in', ...((await login.sign.shows(end)) && { at: end.url }) };
}

/** Credentials belong to the origin that they were given for; nothing else is sent them. */
function troubleWith(form: FoundForm, pageUrl: Url, { at }: FormAccess): string | undefined {
  const origin = originOf(at as Url);
  if (form.hasCaptcha) return 'the login form asks for proof of being human';
  if (form.isScripted) return 'the login form is sent by scripts';
  if (originOf(pageUrl) !== origin || originOf(form.action as Url) !== origin)
    return `the login form leads away from ${origin}`;
  return form.method === 'post' ? undefined : 'the login form would put the password into an address';
}

/** A page that still has the form is no page of the account. */
async function asksAgain(page: FetchedPage): Promise<string | undefined> {
  if (page.status >= 400) return `answered ${page.status}`;
  const source = await htmlOf(page);
  const form = source === undefined ? undefined : bestLogin(findForms(source, page.url));
  return form ? 'the form is shown again' : undefined;
}

/** The answer at the end of redirects within the site, or the first one that leads out of it or to the form. */
async function follow(
  login: SiteLogin,
  url: Url,
  way: LoginWay,
  sent?: LoginRequest,
): Promise<FetchedPage | string> {
  let page = await way.ask(url, sent);
  let isSent = false;
  for (let hops = 0; hops < mostRedirects; hops++) {
    if (typeof page === 'string') return page;
    const location = page.status >= 300 && page.status < 400 ? locationOf(page) : undefined;
    const to = location === undefined ? undefined : parseUrl(location, page.url)?.href;
    const isRefused = sent !== undefined && login.sign.refusal(page) !== undefined;
    if (to === undefined || isRefused || !isInSite(login.rule.site, hostOf(to as Url))) return page;
    // These two say that the same is to be sent to another address.
    const again = sent !== undefined && !isSent && (page.status === 307 || page.status === 308);
    if (again && originOf(to as Url) !== originOf(url))
      return `it leads the password to ${originOf(to as Url)}`;
    if (!again) isSent = true;
    page = await way.ask(to as Url, isSent ? undefined : sent);
  }
  return page;
}
