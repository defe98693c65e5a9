import { parseUrl } from '@webfarer/protocol/url';
import type { FormField, FoundForm } from './form.ts';

export interface FilledForm {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Undefined where the URL carries the fields. */
  readonly body: string | undefined;
  readonly contentType: string | undefined;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/**
 * The request that a browser makes of a login form: what the page put into its hidden fields goes along, honeypots stay
 * empty, and the box that keeps a visitor logged in is ticked.
 */
export function fillLogin(form: FoundForm, credentials: Credentials): FilledForm {
  const pairs = pairsOf(form.fields, credentials);
  if (form.method !== 'post') {
    const url = parseUrl(form.action);
    if (url) url.search = new URLSearchParams(pairs).toString();
    return { url: url?.href ?? form.action, method: 'GET', body: undefined, contentType: undefined };
  }
  return { url: form.action, method: 'POST', ...encoded(pairs, form.enctype) };
}

type Pairs = [name: string, value: string][];

function pairsOf(fields: readonly FormField[], { user, password }: Credentials): Pairs {
  const pressed = fields.find(({ role, name }) => role === 'submit' && name !== '');
  const pairs: Pairs = [];
  for (const field of fields) {
    const { name, role, value, type, isSent } = field;
    if (name === '') continue;
    if (role === 'user' || role === 'mail') pairs.push([name, user]);
    else if (role === 'password') pairs.push([name, password]);
    else if (role === 'honeypot') pairs.push([name, '']);
    else if (role === 'remember') pairs.push([name, value]);
    else if (role === 'submit') pairs.push(...(field === pressed ? buttonPairs(field) : []));
    else if (isSent && type !== 'file') pairs.push([name, lineEnds(name === '_charset_' ? 'UTF-8' : value)]);
  }
  return pairs;
}

/** A picture that is a button sends where it was clicked. */
function buttonPairs({ name, value, type }: FormField): Pairs {
  if (type !== 'image') return [[name, value]];
  return [
    [`${name}.x`, '1'],
    [`${name}.y`, '1'],
  ];
}

const lineEnds = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');

function encoded(pairs: Pairs, enctype: string): { body: string; contentType: string } {
  if (enctype === 'text/plain')
    return { body: pairs.map(([name, value]) => `${name}=${value}\r\n`).join(''), contentType: enctype };
  if (enctype !== 'multipart/form-data')
    return { body: new URLSearchParams(pairs).toString(), contentType: 'application/x-www-form-urlencoded' };
  const boundary = freeBoundary(pairs);
  const parts = pairs.map(([name, value]) => {
    const quoted = name.replace(/[\r\n"]/g, (at) => encodeURIComponent(at));
    return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"\r\n\r\n${value}\r\n`;
  });
  return { body: `${parts.join('')}--${boundary}--\r\n`, contentType: `${enctype}; boundary=${boundary}` };
}

/** One that no value contains. */
function freeBoundary(pairs: Pairs): string {
  const all = pairs.flat().join('\n');
  for (let at = 0; ; at++) {
    const boundary = `----form-boundary-${at}`;
    if (!all.includes(boundary)) return boundary;
  }
}
