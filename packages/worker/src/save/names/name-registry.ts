import { createHash } from 'node:crypto';
import { readFile, truncate } from 'node:fs/promises';
import { AppendFile, openHandle } from '../append-file.ts';
import { withHash } from './file-name.ts';

const entryBytes = 26;
const folderOwner = '0'.repeat(12);

/** Gives out names: a registry of one's own, or somebody who asks the one that several processes share. */
export interface Names {
  /** The name this URL may use, its own from now on. Durable after the next `sync`. */
  claim(wanted: string, url: string): string | Promise<string>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the names that are kept in a file. */
export type OpenNames = (path: string) => Promise<Names>;

export const openNames: OpenNames = (path) => NameRegistry.open(path);

/**
 * Who owns which file name. Two URLs can want the same name (`/a` and `/a.html`), names that differ only
 * in case are one name on some systems, and a file cannot stand where a folder does. The first URL gets
 * the name, others get one with a hash; the same URL always gets the same name again.
 *
 * 48 bits of a hash stand for a name: a false clash costs a longer name, never a lost file. About 50 bytes
 * of memory and 26 on disk for each name.
 */
export class NameRegistry implements Names {
  readonly #owners: Map<number, number>;
  readonly #log: AppendFile;

  constructor(owners: Map<number, number>, log: AppendFile) {
    this.#owners = owners;
    this.#log = log;
  }

  /** Reads the log of an earlier run; a line torn by a crash is dropped. */
  static async open(path: string): Promise<NameRegistry> {
    const text = await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const owners = new Map<number, number>();
    const whole = wholeLog(text ?? '', owners);
    if (text !== undefined && whole < text.length) await truncate(path, whole);
    const handle = await openHandle(path, text === undefined ? 'wx' : 'r+');
    return new NameRegistry(owners, new AppendFile(path, handle, whole));
  }

  claim(wanted: string, url: string): string {
    const owner = hash48(url);
    for (let round = -1; ; round++) {
      const name = round < 0 ? wanted : withHash(wanted, url, round);
      const free = this.#freeFolders(name);
      const key = keyOf(free);
      const held = this.#owners.get(key);
      if (held === owner) return free;
      if (held !== undefined) continue;
      for (const folder of foldersOf(free)) this.#take(keyOf(folder), 0);
      this.#take(key, owner);
      return free;
    }
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** A folder whose name is a file already gets a mark that no file's name ends in. */
  #freeFolders(name: string): string {
    const parts = name.split('/');
    for (let i = 0; i < parts.length - 1; i++) {
      const held = this.#owners.get(keyOf(parts.slice(0, i + 1).join('/')));
      if (held !== undefined && held !== 0) parts[i] += '~';
    }
    return parts.join('/');
  }

  #take(key: number, owner: number): void {
    if (this.#owners.has(key)) return;
    this.#owners.set(key, owner);
    this.#log.append([Buffer.from(`${hex(key)} ${owner === 0 ? folderOwner : hex(owner)}\n`, 'latin1')]);
  }
}

function wholeLog(text: string, owners: Map<number, number>): number {
  let at = 0;
  for (; at + entryBytes <= text.length; at += entryBytes) {
    const line = text.slice(at, at + entryBytes);
    if (!/^[0-9a-f]{12} [0-9a-f]{12}\n$/.test(line)) return at;
    owners.set(Number.parseInt(line.slice(0, 12), 16), Number.parseInt(line.slice(13, 25), 16));
  }
  return at;
}

function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Names that any system takes for the same have the same key. */
function keyOf(name: string): number {
  return hash48(name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC'));
}

/** Never 0, which stands for a folder. */
function hash48(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) || 1;
}

function hex(value: number): string {
  return value.toString(16).padStart(12, '0');
}
