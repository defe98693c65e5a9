import { describe, expect, it } from 'vitest';
import { fillLogin } from './fill-login.ts';
import { findForms } from './find-forms.ts';

const who = { user: 'ada@example.org', password: 'a&b=c d' };
const fields = `
  <input type=hidden name=csrf value="t0k&amp;n"><input name=user value=old><input type=password name=pass>
  <input name=url hidden value=bait><input type=checkbox name=remember value=yes><input type=checkbox name=terms>
  <input type=radio name=lang value=en><input type=radio name=lang value=de checked>
  <select name=realm><option value=a>A<option value=b selected>B</select><input name=off disabled value=1>
  <input type=submit name=go value=Login><input type=submit name=cancel value=Cancel>`;

function fill(form: string, inside = fields) {
  const [found] = findForms(`<form action="/in?x=1" ${form}>${inside}</form>`, 'https://example.org/');
  if (!found) throw new Error('no form');
  return fillLogin(found, who);
}

describe('fillLogin', () => {
  it('sends what a browser would send', () => {
    const { body, ...request } = fill('method=post');
    expect(request).toEqual({
      url: 'https://example.org/in?x=1',
      method: 'POST',
      contentType: 'application/x-www-form-urlencoded',
    });
    expect([...new URLSearchParams(body)]).toEqual([
      ['csrf', 't0k&n'],
      ['user', who.user],
      ['pass', who.password],
      ['url', ''],
      ['remember', 'yes'],
      ['lang', 'de'],
      ['realm', 'b'],
      ['go', 'Login'],
    ]);
  });

  it('puts the fields of a GET form in place of the query', () => {
    const { url, method, body } = fill('method=get', '<input name=user><input type=password name=pass>');
    expect([url, method, body]).toEqual([
      'https://example.org/in?user=ada%40example.org&pass=a%26b%3Dc+d',
      'GET',
      undefined,
    ]);
  });

  it('writes multipart bodies with a boundary that no value contains', async () => {
    const inside =
      '<input type=hidden name=t value="----form-boundary-0"><input name=user><input type=password name=pass>';
    const { body, contentType = '' } = fill('method=post enctype=multipart/form-data', inside);
    expect(contentType).toBe('multipart/form-data; boundary=----form-boundary-1');
    const read = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    expect([...read]).toEqual([
      ['t', '----form-boundary-0'],
      ['user', who.user],
      ['pass', who.password],
    ]);
  });

  it('clicks a picture', () => {
    const { body } = fill(
      'method=post',
      '<input name=user><input type=password name=p><input type=image name=go>',
    );
    expect(new URLSearchParams(body).get('go.x')).toBe('1');
  });
});
