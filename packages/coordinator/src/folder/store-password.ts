import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreChoice } from '@webfarer/protocol/job';
import { writeDurably } from '@webfarer/protocol/node';

/** Beside crawl.json, readable by its owner only: crawl.json is handed around, passwords are not. */
const fileName = 'store-password';
const credentials = /^([a-z+]+:\/\/)([^@/]*)@/;

/** The whole address of a store whose password was given to this process; undefined: none was. */
export type GivenStore = (url: string) => string | undefined;

/** Keeps a password that was typed or stands in a job file. */
export async function keepPassword(folder: string, { url }: StoreChoice): Promise<void> {
  const [, , secret] = credentials.exec(url) ?? [];
  if (secret === undefined) return;
  await writeDurably(join(folder, fileName), `${secret}\n`, { mode: 0o600 });
}

/** The store with the password that was given or kept, where the address itself has none. */
export async function withPassword<T extends StoreChoice>(
  store: T,
  folder: string,
  given?: GivenStore,
): Promise<T> {
  if (credentials.test(store.url)) return store;
  const url = given?.(store.url);
  if (url !== undefined) return { ...store, url };
  const secret = await readFile(join(folder, fileName), 'utf8').catch(() => '');
  return secret === '' ? store : { ...store, url: store.url.replace('://', `://${secret.trim()}@`) };
}
