import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { createDurably, writeDurably } from '@webfarer/protocol/durable-file';

/** What opens a coordinator: one token for those who work, one for those who look and steer. Never the same. */
export interface Tokens {
  worker: string;
  operator: string;
}

const tokenFiles = { worker: 'worker.token', operator: 'operator.token' } as const;
const TOKEN_BYTES = 32;
const wellFormed = /^[\w-]{32,}$/;

/**
 * The tokens of a data folder, made at the first start: there is no default one that everybody knows. Coordinators of
 * one store have the same, worked out by `shared`.
 */
export async function openTokens(folder: string, shared?: (purpose: string) => string): Promise<Tokens> {
  const open = (purpose: keyof Tokens) => {
    const file = join(folder, tokenFiles[purpose]);
    return shared ? keepToken(file, shared(`${purpose} token`)) : openToken(file);
  };
  return { worker: await open('worker'), operator: await open('operator') };
}

/** The token in a file; one that is too short to be a secret is refused. */
export async function readToken(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (wellFormed.test(token)) return token;
  throw new WebfarerError('usage', `${file} holds no token: at least 32 letters, digits, - or _ are needed`, {
    next: `Delete it and start the coordinator again: a new one is made.`,
  });
}

async function keepToken(file: string, token: string): Promise<string> {
  await writeDurably(file, `${token}\n`, { mode: 0o600 });
  return token;
}

/** Whole or not there at all, and of two that start at the same moment one makes it. */
async function openToken(file: string): Promise<string> {
  try {
    return await readToken(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await createDurably(file, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600 });
  return await readToken(file);
}
