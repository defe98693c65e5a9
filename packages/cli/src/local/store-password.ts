import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput, StoreChoice } from '@webfarer/protocol';
import { writeDurably } from '@webfarer/protocol/durable-file';

/** Beside crawl.json, readable by its owner only: crawl.json is handed around, passwords are not. */
const fileName = 'store-password';
const credentials = /^(rediss?:\/\/)([^@/]*)@/;

/** The address without what is secret. */
export function withoutPassword(url: string): string {
  return url.replace(credentials, '$1');
}

/** The job as it may be written to crawl.json. */
export function withoutStorePassword(input: unknown): unknown {
  const { store } = (input ?? {}) as { store?: JobInput['store'] };
  if (store === undefined) return input;
  const plain =
    typeof store === 'string' ? withoutPassword(store) : { ...store, url: withoutPassword(store.url) };
  return { ...(input as object), store: plain };
}

export async function keepPassword(folder: string, { url }: StoreChoice): Promise<void> {
  const [, , secret] = credentials.exec(url) ?? [];
  if (secret !== undefined) await writeDurably(join(folder, fileName), `${secret}\n`, { mode: 0o600 });
}

/** The store with the password that was kept, where the address itself has none. */
export async function withPassword<T extends StoreChoice>(store: T, folder: string): Promise<T> {
  if (credentials.test(store.url)) return store;
  const secret = await readFile(join(folder, fileName), 'utf8').catch(() => '');
  return secret === '' ? store : { ...store, url: store.url.replace('://', `://${secret.trim()}@`) };
}
