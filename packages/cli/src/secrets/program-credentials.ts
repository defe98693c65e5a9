import { WebfarerError } from '@webfarer/protocol';
import type { SiteCredentials } from '@webfarer/protocol/job';
import { redact, siteCredentials } from '@webfarer/protocol/url';

/** What a site is sent to log in: a name and password as HTTP Basic or by its login form, or a token as Bearer. */
export type Credentials =
  | { user: string; password: string }
  | { form: { user: string; password: string } }
  | { bearer: string };

/** Credentials that a program gives, by address. An error names the address alone. */
export function programCredentials(byAddress: Readonly<Record<string, Credentials>>): SiteCredentials[] {
  return Object.entries(byAddress).map(([address, given]) => {
    const secret = secretOf(given);
    const { form: _form, ...texts } = { form: undefined, ...secret };
    const isText = Object.values(texts).every((one: unknown) => typeof one === 'string');
    const found = isText ? siteCredentials(address, secret) : undefined;
    if (found) return found;
    throw new WebfarerError('usage', `credentials: cannot send what is given for ${redact(address)}`, {
      next: "Write { 'https://example.org': { user, password } } or { 'https://example.org': { bearer } }.",
    });
  });
}

function secretOf(given: Credentials): Parameters<typeof siteCredentials>[1] {
  if ('bearer' in given) return { token: given.bearer };
  if (!('form' in given)) return { user: given.user, password: given.password };
  return { user: given.form.user, password: given.form.password, form: true };
}
