import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { childrenOf } from '../prove/lab.ts';

/** A secret that exists nowhere else, and all the forms in which it could leak. */
export interface Canary {
  name: string;
  value: string;
  forms: string[];
}

export function canary(name: string, user = 'name'): Canary {
  const value = `canary-${name}-${randomBytes(9).toString('hex')}`;
  return {
    name,
    value,
    forms: [value, Buffer.from(`${user}:${value}`).toString('base64').replace(/=+$/, '')],
  };
}

/** Files whose purpose is to hold a secret; others must not be able to read them. */
const secretFiles = new Set(['store-password', 'worker.token', 'operator.token']);

export function canariesIn(text: string, canaries: readonly Canary[]): string[] {
  return canaries.filter(({ forms }) => forms.some((form) => text.includes(form))).map(({ name }) => name);
}

/** Which canaries stand in which files under a folder, compressed ones read through; and secret files for all to read. */
export function searchFolder(folder: string, canaries: readonly Canary[]): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    if (secretFiles.has(basename(file))) {
      if ((statSync(file).mode & 0o077) !== 0) found.push(`${file} can be read by others`);
      continue;
    }
    for (const name of canariesIn(textOf(file), canaries)) found.push(`${name} in ${file}`);
  }
  return found;
}

/** Bytes as text, with all gzip members behind each other undone. */
function textOf(file: string): string {
  const bytes = readFileSync(file);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('latin1');
  try {
    return gunzipSync(bytes).toString('latin1');
  } catch {
    return bytes.toString('latin1');
  }
}

/** Looks at the words of a process and all it started, again and again; as any user of the machine can. */
export function watchWords(pid: number, canaries: readonly Canary[]): { stop(): string[]; looks(): number } {
  const found = new Set<string>();
  let looks = 0;
  const look = () => {
    looks++;
    for (const each of family(pid)) for (const name of canariesIn(wordsOf(each), canaries)) found.add(name);
  };
  look();
  const timer = setInterval(look, 15);
  return {
    looks: () => looks,
    stop() {
      clearInterval(timer);
      return [...found];
    },
  };
}

function family(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(family)];
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
