import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Asked, Reply } from '../lab-web.ts';
import { html, nothing, type Recipe, served, unlike } from '../recipe.ts';

const password = 'correct-horse';
const basic = `Basic ${Buffer.from(`reader:${password}`).toString('base64')}`;
const session = 's3ss10n-0f-reader';
const logOut = '<a href="/logout">Log out</a>';
const pages: Record<string, string> = {
  '/': html(
    'Inside',
    `<a href="/a">A</a> <a href="/b">B</a> ${logOut} <img src="https://cdn.example/i.png">`,
  ),
  '/a': html('A', `<a href="/">Inside</a> ${logOut} <a href="https://elsewhere.example/">Elsewhere</a>`),
  '/b': html('B', `<a href="/">Inside</a> ${logOut}`),
};
const form = html(
  'Log in',
  '<form method="post" action="/login"><input name="name"><input name="password" type="password"><button>Log in</button></form>',
);

const intranet = ({ path, headers }: Asked): Reply | undefined =>
  headers.authorization === basic
    ? pageAt(path)
    : { status: 401, headers: { 'www-authenticate': 'Basic realm="in"' } };

/** Who logs out is out, like everywhere. */
function members() {
  let isIn = false;
  return ({ path, method, sent, headers }: Asked): Reply | undefined => {
    if (path === '/robots.txt') return undefined;
    if (method === 'GET' && path === '/login') return { body: form };
    if (method === 'POST' && path === '/login' && sent === `name=reader&password=${password}`) {
      isIn = true;
      return {
        status: 302,
        headers: { location: '/', 'set-cookie': `session=${session}; Path=/; Secure; HttpOnly` },
      };
    }
    if (path === '/logout') isIn = false;
    return isIn && headers.cookie?.includes(session) ? pageAt(path) : { status: 403 };
  };
}

function pageAt(path: string): Reply | undefined {
  const body = pages[path];
  return body === undefined ? undefined : { body };
}

const hosts = ['intranet.example', 'members.example', 'club.example'];
const signedInByForm = ['members.example', 'club.example'];

/** Everything behind the login was seen, and the password is nowhere but in requests to its host. */
export const login: Recipe = {
  ...nothing,
  name: 'behind-a-login',
  hosts: {
    'intranet.example': intranet,
    'members.example': members(),
    'club.example': members(),
    'elsewhere.example': () => ({}),
  },
  judge({ folder }, web) {
    const written = readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile() && !/^(credentials|cookies|club)\.txt$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
    return [
      ...hosts.flatMap((host) =>
        unlike(
          host,
          served(web.of(host)).flatMap(({ path }) => (path === '/login' ? [] : [path])),
          Object.keys(pages),
        ),
      ),
      ...web.log.flatMap(({ host, headers }) =>
        headers.authorization !== undefined && host !== 'intranet.example'
          ? [`the password went to ${host}`]
          : [],
      ),
      ...signedInByForm.flatMap((host) =>
        web.of(host).flatMap(({ path }) => (path === '/logout' ? [`the crawl logged out of ${host}`] : [])),
      ),
      ...written
        .filter((path) => readFileSync(path).includes(password))
        .map((path) => `the password is in ${path}`),
    ];
  },
  harm(_run, web) {
    const [line] = web.of('intranet.example').filter(({ headers }) => headers.authorization !== undefined);
    if (line) web.log.push({ ...line, host: 'elsewhere.example' });
  },
};
