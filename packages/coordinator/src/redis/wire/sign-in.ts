import { readFile } from 'node:fs/promises';
import { WebfarerError } from '@webfarer/protocol';
import { addressOf, type Endpoint } from '../address/address.ts';

type Given = Pick<Endpoint, 'user' | 'password'>;

/** User and password for the next connection. A file is read each time: passwords are rotated while crawls run. */
export async function signInOf({ user, password, passwordFile: file }: Endpoint): Promise<Given> {
  const own = { ...(user === undefined ? {} : { user }), ...(password === undefined ? {} : { password }) };
  if (file === undefined) return own;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unusable(file, error.code === 'ENOENT' ? 'no such file' : error.message, error);
  });
  const found = parseSignIn(text.trim());
  if (found === undefined) throw unusable(file, 'it holds no password');
  return { ...own, ...found };
}

/** In an address both are percent-encoded; a line of its own is taken as it is. */
function parseSignIn(text: string): Given | undefined {
  const [, userinfo] = /^[a-z+]+:\/\/([^@/]*)@/.exec(text) ?? [];
  const isAddress = userinfo === undefined && text.includes('://');
  if (text === '' || isAddress || /\s/.test(text)) return undefined;
  const line = userinfo ?? text;
  const colon = line.indexOf(':');
  const decoded = (part: string) => (userinfo === undefined ? part : decodeURIComponent(part));
  const user = decoded(line.slice(0, Math.max(0, colon)));
  return { ...(user === '' ? {} : { user }), password: decoded(line.slice(colon + 1)) };
}

function unusable(file: string, why: string, cause?: unknown): WebfarerError {
  return new WebfarerError('usage', `cannot read the password of the store, ${file}: ${why}`, {
    next: 'Write one line into the file: PASSWORD, USER:PASSWORD or the whole address. This user must be able to read it.',
    cause,
  });
}

/** What is wrong and where to fix it; the server's words do not repeat the password. */
export function passwordRejected(endpoint: Endpoint, answer: string): string {
  const { passwordFile: file } = endpoint;
  const where = file === undefined ? '' : ` (from ${file}, which is read again for each connection)`;
  return `${addressOf(endpoint)}: the password was rejected${where}: ${answer}`;
}

/** What the error of a waiting call says about our password; undefined: it is about something else. */
export function rejectedPassword(why: string): string | undefined {
  const isRejected = /^\S+: the password was rejected/.test(why);
  return isRejected || why.startsWith('cannot read the password of the store') ? why : undefined;
}
