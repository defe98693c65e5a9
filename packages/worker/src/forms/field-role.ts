import type { FieldRole, FormKind } from './form.ts';
import type { Control } from './read-forms.ts';
import { namesPassword, plainText, speaksOf } from './words.ts';

/** What a visitor types text into. */
const typed = new Set(['text', 'email', 'tel', 'url', 'number', 'search', 'textarea']);

export const isTyped = ({ type }: Control): boolean => typed.has(type) || !known.has(type);
/** Browsers treat a type that they do not know as text. */
const known = new Set(
  'hidden password checkbox radio file submit image reset button select color date datetime-local month range time week'.split(
    ' ',
  ),
);

/** What a control says about itself: its name, what a browser may fill in, and its label. */
export function wordsOf({ element, name, label, before, after, type }: Control): string {
  const { id = '', placeholder = '', title = '', autocomplete = '', alt = '' } = element.attribs;
  const aria = element.attribs['aria-label'] ?? '';
  const around = label || (type === 'checkbox' || type === 'radio' ? after : before);
  const own = type === 'submit' || type === 'button' || type === 'image' ? element.attribs.value : '';
  return plainText([name, id, placeholder, title, autocomplete, aria, alt, own, label, around].join(' '));
}

/** The role of each control of a form of this kind. */
export function rolesOf(controls: readonly Control[], kind: FormKind): FieldRole[] {
  const roles = controls.map(ownRole);
  return kind === 'login' ? loginRoles(controls, roles) : roles;
}

/** What a control is by itself, whatever its form is for. */
function ownRole(control: Control): FieldRole {
  const { type, name, isConcealed, element } = control;
  if (type === 'hidden') return 'hidden';
  if (type === 'submit' || type === 'image') return 'submit';
  if (type === 'password') return 'password';
  const words = wordsOf(control);
  if (type === 'checkbox') return speaksOf('remember', words) ? 'remember' : 'other';
  if (!isTyped(control)) return 'other';
  if (isConcealed || speaksOf('honeypot', words)) return 'honeypot';
  const named = plainText(`${name} ${element.attribs.id ?? ''}`);
  if (speaksOf('captcha', named) || speaksOf('captcha', words)) return 'captcha';
  if (isElsewhere(control)) return 'other';
  const tokens = (element.attribs.autocomplete ?? '').toLowerCase().split(/\s+/);
  if (tokens.includes('username')) return 'user';
  if (type === 'email' || tokens.includes('email')) return 'mail';
  // A name is chosen by the programmer and says more than a label, which may speak of both.
  if (speaksOf('mail', named)) return 'mail';
  if (speaksOf('user', named)) return 'user';
  if (speaksOf('mail', words)) return 'mail';
  return speaksOf('user', words) ? 'user' : 'other';
}

/** One password and one name: the ones to fill in. */
function loginRoles(controls: readonly Control[], own: readonly FieldRole[]): FieldRole[] {
  const roles = [...own];
  const hidden = indexes(roles, (role) => role === 'password');
  // Some pages show the password, or have a script that hides it.
  const passwords =
    hidden.length > 0 ? hidden : indexes(roles, (_, at) => isPasswordByName(controls[at] as Control));
  const password = passwords.find((at) => !controls[at]?.isConcealed) ?? passwords[0];
  for (const at of passwords) roles[at] = at === password ? 'password' : 'other';
  const names = indexes(roles, (role) => role === 'user' || role === 'mail');
  const user = nearest(names, password) ?? nearest(fallbacks(controls, roles), password);
  for (const at of names) if (at !== user) roles[at] = 'other';
  if (user !== undefined && roles[user] !== 'mail') roles[user] = 'user';
  return roles;
}

/** Where no field is named as one: any that takes text, and last one that is not shown, as a script may show it. */
function fallbacks(controls: readonly Control[], roles: readonly FieldRole[]): number[] {
  const others = indexes(roles, (role, at) => role === 'other' && mayName(controls[at] as Control));
  if (others.length > 0) return others;
  return indexes(roles, (role, at) => role === 'honeypot' && !isNamedTrap(controls[at] as Control));
}

/** Takes the address of an account at another site. */
const isElsewhere = ({ name }: Control): boolean => /openid/i.test(name);

const mayName = (control: Control): boolean => isTyped(control) && !isElsewhere(control);

const isPasswordByName = (control: Control): boolean => isTyped(control) && namesPassword(control.name);

const isNamedTrap = (control: Control): boolean => speaksOf('honeypot', wordsOf(control));

/** The last before the password, else the first after it. */
function nearest(candidates: readonly number[], password: number | undefined): number | undefined {
  if (password === undefined) return candidates[0];
  return candidates.findLast((at) => at < password) ?? candidates[0];
}

function indexes(roles: readonly FieldRole[], wanted: (role: FieldRole, at: number) => boolean): number[] {
  return roles.flatMap((role, at) => (wanted(role, at) ? [at] : []));
}
