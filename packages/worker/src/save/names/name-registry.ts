import { createHash } from 'node:crypto';
import { readFile, truncate } from 'node:fs/promises';
import { AppendFile, openHandle } from '../append-file.ts';
import { withHash } from './file-name.ts';

const folderOwner = '0'.repeat(12);

/** Gives out names: to one process, or to several that share a log. */
export interface Names {
  /** The name this URL may use, its own from now on. Durable after the next `sync`. */
  claim(wanted: string, url: string): string;
  sync(): Promise<void>;
  close(): Promise<void>;
}

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
    const whole = readLog(text ?? '', owners);
    if (text !== undefined && whole < text.length) await truncate(path, whole);
    const handle = await openHandle(path, text === undefined ? 'wx' : 'r+');
    return new NameRegistry(owners, new AppendFile(path, handle, whole));
  }

  claim(wanted: string, url: string): string {
    const { name, taken } = choose(this.#owners, wanted, url);
    for (const [key, owner] of taken) {
      this.#owners.set(key, owner);
      this.#log.append([Buffer.from(lineOf(key, owner), 'latin1')]);
    }
    return name;
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

/** Who has which name, by the key of the name. */
export type NameOwners = Pick<ReadonlyMap<number, number>, 'get' | 'has'>;

/** The name this URL may use, and what has to be taken for it: nothing where it is its own already. */
export function choose(
  owners: NameOwners,
  wanted: string,
  url: string,
): { name: string; taken: [key: number, owner: number][] } {
  const owner = hash48(url);
  for (let round = -1; ; round++) {
    const name = freeFolders(owners, round < 0 ? wanted : withHash(wanted, url, round));
    const key = keyOf(name);
    const held = owners.get(key);
    if (held === owner) return { name, taken: [] };
    if (held !== undefined) continue;
    const folders = foldersOf(name)
      .map(keyOf)
      .filter((folder) => !owners.has(folder));
    return { name, taken: [...folders.map((folder): [number, number] => [folder, 0]), [key, owner]] };
  }
}

/** A folder whose name is a file already gets a mark that no file's name ends in. */
function freeFolders(owners: NameOwners, name: string): string {
  const parts = name.split('/');
  for (let i = 0; i < parts.length - 1; i++) {
    const held = owners.get(keyOf(parts.slice(0, i + 1).join('/')));
    if (held !== undefined && held !== 0) parts[i] += '~';
  }
  return parts.join('/');
}

/** Reads whole lines; the first to name a key has it. Answers where the last whole line ends. */
export function readLog(text: string, owners: Map<number, number>): number {
  let at = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    const line = text.slice(at, end);
    at = end + 1;
    // What a full disk tore is nobody's name.
    if (!/^[0-9a-f]{12} [0-9a-f]{12}$/.test(line)) continue;
    const key = Number.parseInt(line.slice(0, 12), 16);
    if (!owners.has(key)) owners.set(key, Number.parseInt(line.slice(13), 16));
  }
  return at;
}

export function lineOf(key: number, owner: number): string {
  return `${hex(key)} ${owner === 0 ? folderOwner : hex(owner)}\n`;
}

function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Names that any system takes for the same have the same key. */
function keyOf(name: string): number {
  return hash48(foldedName(name));
}

/** What names have in common that some system takes for the same. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Never 0, which stands for a folder. */
function hash48(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) || 1;
}

function hex(value: number): string {
  return value.toString(16).padStart(12, '0');
}
