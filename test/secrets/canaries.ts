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

/** Of characters that no escape changes, so that a part of it is found in escaped text, too. */
export function canary(name: string): Canary {
  return canaryOf(name, `canary-${name}-${randomBytes(9).toString('hex')}`);
}

/** One that others have made. */
export function canaryOf(name: string, value: string): Canary {
  const bytes = Buffer.from(value);
  const escaped = [...bytes].map((byte) => `%${byte.toString(16)}`).join('');
  return {
    name,
    value,
    forms: [value, escaped, escaped.toUpperCase(), bytes.toString('hex'), ...base64Forms(value)],
  };
}

/** What is in the base64 of every text that holds the value, wherever it stands there; in both alphabets. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from(' '.repeat(before) + value).toString('base64');
    // Characters that also hold bits of what is around it are left out.
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + value.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Files whose purpose is to hold a secret; others must not be able to read them. */
const secretFiles = new Set([
  'store-password',
  'header-values.json',
  'worker.token',
  'worker.key',
  'operator.token',
  'cookies.json',
]);

/** They hold jobs with the values of their headers, and no other secret. */
const databases = /^(?:catalog|registry)\.db(?:-\w+)?$/;

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
    const isClosed = databases.test(entry.name) && (statSync(file).mode & 0o077) === 0;
    for (const name of canariesIn(textOf(file), canaries))
      if (!isClosed || !name.includes('header')) found.push(`${name} in ${file}`);
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

/**
 * Looks at the words of a process and all it started, again and again; as any user of the machine can. Where nothing was given
 * in the environment, at that too.
 */
export function watchWords(
  pid: number,
  canaries: readonly Canary[],
  { environment = false } = {},
): { stop(): string[]; looks(): number } {
  const files = environment ? ['cmdline', 'environ'] : ['cmdline'];
  const found = new Set<string>();
  let looks = 0;
  const look = () => {
    looks++;
    for (const each of family(pid))
      for (const file of files)
        for (const name of canariesIn(textAt(`/proc/${each}/${file}`), canaries)) found.add(name);
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

function textAt(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
