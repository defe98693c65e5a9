import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { createDurably, writeDurably } from '@webfarer/protocol/node';
import {
  newToken,
  storedToken,
  type StoredToken,
  tokenDigest,
  type TokenRole,
  type TokenStore,
} from './tokens.ts';

/** What opens a coordinator: one token for those who work, one for those who look and steer. Never the same. */
export type Tokens = Record<TokenRole, string>;

const tokenFiles = { worker: 'worker.token', operator: 'operator.token' } as const;
const storeFile = 'tokens.json';
const wellFormed = /^[\w-]{32,}$/;

/** The tokens of a coordinator that has no store: their digests, in a file of its folder. */
export function folderTokens(folder: string): TokenStore {
  const file = join(folder, storeFile);
  async function all(): Promise<StoredToken[]> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"tokens":[]}';
      throw error;
    });
    return (JSON.parse(text) as { tokens: StoredToken[] }).tokens;
  }
  return {
    all,
    async put(token) {
      const others = (await all()).filter(({ id }) => id !== token.id);
      const text = JSON.stringify({ format: 1, tokens: [...others, token] }, null, 2);
      await writeDurably(file, `${text}\n`, { mode: 0o600 });
    },
  };
}

/**
 * The tokens in a data folder, made at the first start: there is no default one that everybody knows. Each is accepted
 * by all coordinators that share the token store, until it is revoked; then the folder gets a new one.
 */
export async function openTokens(
  folder: string,
  store: TokenStore,
  about: { clock: Clock; note: string },
): Promise<Tokens> {
  const worker = await openToken('worker', folder, store, about);
  return { worker, operator: await openToken('operator', folder, store, about) };
}

async function openToken(
  role: TokenRole,
  folder: string,
  store: TokenStore,
  { clock, note }: { clock: Clock; note: string },
): Promise<string> {
  const file = join(folder, tokenFiles[role]);
  let token = await fileToken(file);
  const known = (await store.all()).find(({ digest }) => digest === tokenDigest(token));
  if (known && known.revokedAtMs === undefined) return token;
  if (known) {
    token = newToken();
    await writeDurably(file, `${token}\n`, { mode: 0o600 });
  }
  await store.put(storedToken(token, { role, createdAtMs: clock.now(), note }));
  return token;
}

/** The token in a file; one that is too short to be a secret is refused. */
export async function readToken(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (wellFormed.test(token)) return token;
  throw new WebfarerError(
    'usage',
    `${file} does not hold a token: it needs at least 32 letters, digits, - or _`,
    {
      next: `Delete it and restart the coordinator, which creates a new one.`,
    },
  );
}

/** Whole or not there at all, and of two that start at the same moment one makes it. */
async function fileToken(file: string): Promise<string> {
  try {
    return await readToken(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await createDurably(file, `${newToken()}\n`, { mode: 0o600 });
  return await readToken(file);
}
