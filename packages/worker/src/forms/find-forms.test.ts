import { describe, expect, it } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { bestLogin, findForms } from './find-forms.ts';

const url = 'https://shop.example/account/login?next=/orders#top';

const login = `
  <form id="signin" action="/session" method="post">
    <input type="hidden" name="csrf" value="t0k&amp;n">
    <label for="who">Your account</label> <input id="who" name="f1">
    <input type="password" name="f2">
    <div style="display:none"><input name="website"></div>
    <label><input type="checkbox" name="keep" value="1"> Remember me</label>
    <button>Log in</button> <a href="/lost">Forgot your password?</a>
  </form>`;
const search = `<form action="/find"><input name="q" placeholder="Search"><button>Go</button></form>`;
const register = `
  <form method="post" action="/signup"><input name="user"><input type="email" name="mail">
    <input type="password" name="one"><input type="password" name="two"><button>Create account</button></form>`;

const rolesIn = (html: string, at = 0) =>
  Object.fromEntries((findForms(html, url)[at]?.fields ?? []).map(({ name, role }) => [name, role]));

describe('findForms', () => {
  it('tells forms by what they are for, in the order of the page', () => {
    expect(findForms(search + login + register, url).map(({ kind }) => kind)).toEqual([
      'search',
      'login',
      'register',
    ]);
  });

  it('reads a tree as well as a source', () => {
    expect(findForms(readTree(login, { xml: false }), url)).toEqual(findForms(login, url));
  });

  it('gives each field of a login its role', () => {
    expect(rolesIn(login)).toEqual({
      csrf: 'hidden',
      f1: 'user',
      f2: 'password',
      website: 'honeypot',
      keep: 'remember',
      '': 'submit',
    });
  });

  it('resolves where a form is sent', () => {
    const sent = (form: string) => {
      const [found] = findForms(`${form}<input type=password></form>`, url);
      return [found?.action, found?.method, found?.enctype];
    };
    const plain = 'application/x-www-form-urlencoded';
    expect(sent('<form>')).toEqual(['https://shop.example/account/login?next=/orders', 'get', plain]);
    expect(sent('<base href=/a/><form action=b method=POST enctype=multipart/form-data>')).toEqual([
      'https://shop.example/a/b',
      'post',
      'multipart/form-data',
    ]);
  });

  it('finds a user name that nothing names, before the password', () => {
    const fields = '<input name=a><input name=b><input name=c type=password><input name=d>';
    expect(
      rolesIn(`<form id=login method=post action=/login>${fields}<button>Log in</button></form>`),
    ).toEqual({
      a: 'other',
      b: 'user',
      c: 'password',
      d: 'other',
      '': 'submit',
    });
  });

  it.each([
    ['an attribute', '<input name=trap hidden>', ''],
    ['a style', '<p style="position:absolute; left:-5000px"><input name=trap></p>', ''],
    ['a style sheet', '<p class="x y"><input name=trap></p>', '<style>.y, .z { visibility: hidden }</style>'],
    ['words', '<label>Leave this field empty <input name=trap></label>', ''],
  ])('knows a honeypot by %s', (_, field, head) => {
    const form = `${head}<form><input name=login>${field}<input type=password name=p></form>`;
    expect(rolesIn(form)).toEqual({ login: 'user', trap: 'honeypot', p: 'password' });
  });

  it('does not take a field for a honeypot because its whole form is still closed', () => {
    expect(rolesIn(`<div style="display:none">${login}</div>`)).toMatchObject({ f1: 'user', f2: 'password' });
  });

  it('takes the controls that name their form, and those that a table cut off', () => {
    const outside = '<form id=f><input type=password name=p></form><input form=f name=user>';
    expect(rolesIn(outside)).toEqual({ p: 'password', user: 'user' });
    const table =
      '<table><tr><form method=post><td><input name=user></td></tr><tr><td><input type=password name=p></td></tr></form></table>';
    expect(rolesIn(table)).toEqual({ user: 'user', p: 'password' });
  });

  it('reports fields that stand in no form where a password is among them', () => {
    const [form, ...others] = findForms(
      '<div><input name=user><input type=password name=p><button>Log in</button></div>',
      url,
    );
    expect(others).toEqual([]);
    expect(form).toMatchObject({ kind: 'login', isScripted: true, place: undefined });
    expect(findForms('<input name=q>', url)).toEqual([]);
  });

  it('notices a captcha that is a widget', () => {
    const form = (inside: string) => `<form><input name=user><input type=password>${inside}</form>`;
    expect(findForms(form('<div class="g-recaptcha"></div>'), url)[0]?.hasCaptcha).toBe(true);
    expect(findForms(form(''), url)[0]?.hasCaptcha).toBe(false);
  });

  it('names fields for a browser, also where ids and names occur twice', () => {
    const twice = `<form name="a"><input id="u" name="say &quot;hi&quot;"></form>${login}${login}`;
    const forms = findForms(twice, url);
    expect(forms[0]?.fields[0]?.place).toEqual({ selector: 'input[id="u"]', nth: 0 });
    expect(forms[2]?.place).toEqual({ selector: 'form[id="signin"]', nth: 1 });
    expect(forms[2]?.fields.map(({ place }) => place.nth)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

describe('bestLogin', () => {
  it('prefers a form that takes the password', () => {
    const byName = '<form method=post action=/login id=login><input name=user><button>Log in</button></form>';
    expect(bestLogin(findForms(byName, url))?.fields).toHaveLength(2);
    expect(bestLogin(findForms(byName + login, url))?.place?.selector).toBe('form[id="signin"]');
    expect(bestLogin(findForms(search, url))).toBeUndefined();
  });
});
