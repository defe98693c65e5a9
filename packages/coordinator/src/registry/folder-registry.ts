import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { Registry } from './registry.ts';
import { openSqliteRegistry } from './sqlite-registry.ts';

const registryName = 'registry.db';

/** The registry of a coordinator that has no store: a file in its folder, made when it is first used. */
export function folderRegistry(folder: string, clock: DatedClock): Registry {
  let opened: Registry | undefined;
  let closed = false;

  async function at(): Promise<Registry> {
    if (closed) throw new WebfarerError('usage', 'the registry is closed');
    if (opened) return opened;
    mkdirSync(folder, { recursive: true });
    opened = openSqliteRegistry({ path: join(folder, registryName), clock });
    return opened;
  }

  /** A look alone makes no file. */
  const isThere = () => opened !== undefined || closed || existsSync(join(folder, registryName));

  return {
    get: async (...args) => (isThere() ? await (await at()).get(...args) : undefined),
    list: async (...args) => (isThere() ? await (await at()).list(...args) : { docs: [], next: undefined }),
    put: async (...args) => await (await at()).put(...args),
    remove: async (...args) => await (await at()).remove(...args),
    changes: async (since) => await (await at()).changes(since),
    note: async (entry) => await (await at()).note(entry),
    notes: async (page) => await (await at()).notes(page),
    async close() {
      closed = true;
      await opened?.close();
    },
  };
}
