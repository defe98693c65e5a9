import { parseUrl } from '@webfarer/protocol/url';
import { readTree, type Tree } from '../tree/tree.ts';
import { rolesOf } from './field-role.ts';
import type { FieldRole, FormField, FoundForm } from './form.ts';
import { factsOf, kindOf } from './form-kind.ts';
import { placesOf } from './places.ts';
import { type Control, type PageForm, readForms } from './read-forms.ts';
import { weights } from './weights.ts';

const captchaMarks = /captcha|cf-turnstile|funcaptcha|arkose/i;
const encodings = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** The forms of a page in document order. Fields outside of forms are one more, last, where a password is among them. */
export function findForms(page: Tree | string, url: string): FoundForm[] {
  const tree = typeof page === 'string' ? readTree(page, { xml: false }) : page;
  const { forms, loose, base, title } = readForms(tree);
  const all = loose.controls.some(({ type }) => type === 'password') ? [...forms, loose] : forms;
  const baseUrl = base === undefined ? url : (parseUrl(base, url)?.href ?? url);
  const place = placesOf(tree);
  return all.map((form) => {
    const { kind, score } = kindOf(factsOf(form, { url, title }), weights);
    const roles = rolesOf(form.controls, kind);
    const { element } = form;
    return {
      kind,
      score,
      ...submission(form, { url, baseUrl }),
      isScripted: element === undefined,
      hasCaptcha: roles.includes('captcha') || captchaMarks.test(form.marks),
      place: element && place(element),
      fields: form.controls.map((control, at) => ({
        ...field(control, roles[at] ?? 'other'),
        place: place(control.element),
      })),
    };
  });
}

/** The login form of a page to fill in: the surest, the first of equals. */
export function bestLogin(forms: readonly FoundForm[]): FoundForm | undefined {
  const logins = forms.filter(({ kind }) => kind === 'login');
  const withPassword = logins.filter(({ fields }) => fields.some(({ role }) => role === 'password'));
  const [first, ...others] = withPassword.length > 0 ? withPassword : logins;
  return others.reduce((best, form) => (best && form.score <= best.score ? best : form), first);
}

function submission(
  { element }: PageForm,
  { url, baseUrl }: { url: string; baseUrl: string },
): Pick<FoundForm, 'action' | 'method' | 'enctype'> {
  const { action = '', method = '', enctype = '' } = element?.attribs ?? {};
  const target = action.trim() === '' ? parseUrl(url) : parseUrl(action, baseUrl);
  if (target) target.hash = '';
  const verb = method.trim().toLowerCase();
  const encoding = enctype.trim().toLowerCase();
  return {
    action: target?.href ?? url,
    method: verb === 'post' || verb === 'dialog' ? verb : 'get',
    enctype: encodings.includes(encoding) ? encoding : 'application/x-www-form-urlencoded',
  };
}

function field({ name, type, value, element }: Control, role: FieldRole): Omit<FormField, 'place'> {
  const { disabled, checked } = element.attribs;
  const isBox = type === 'checkbox' || type === 'radio';
  const isPressed = type === 'submit' || type === 'image' || type === 'button' || type === 'reset';
  const isSent = name !== '' && disabled === undefined && !isPressed && (!isBox || checked !== undefined);
  return { name, type, role, value, isSent };
}

/** A person could log in on this page. */
export function showsLoginForm(html: string, url: string): boolean {
  return bestLogin(findForms(html, url)) !== undefined;
}
