import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';

/** One reader of what strangers send, and how to make up what they might send. */
export interface Target {
  /** Every other call with the same numbers makes the same input. */
  make(random: Random): Buffer;
  /** Throws where the reader does, or where what it says cannot be. */
  run(input: Buffer): void | Promise<void>;
  close?(): Promise<void>;
}

export interface TargetOptions {
  /** The folder of corpora, where there is one. */
  corpora: string | undefined;
  /** A folder for files, which goes afterwards. */
  folder: string;
}

/** Each module exports `open`; the share is of all inputs of a run. */
export const targets = {
  url: 0.4,
  robots: 0.15,
  html: 0.17,
  page: 0.03,
  css: 0.05,
  sitemap: 0.1,
  http: 0.06,
  warc: 0.04,
} as const;

export type TargetName = keyof typeof targets;

/** What must always hold, said in words where it does not. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`broken promise: ${what}`);
}

const largestSeed = 40_000;

/** Files of a corpus as seeds, each cut to a length at which a million inputs can be made of them. */
export function seedFiles(corpora: string | undefined, path: string, most = 60): Buffer[] {
  const folder = join(corpora ?? '', path);
  if (corpora === undefined || !existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .slice(0, most)
    .map((file) => readFileSync(file).subarray(0, largestSeed));
}

export const buffers = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));
