import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import { createDurably, writeDurably } from '@webfarer/protocol/node';
import type { EarlierTokens, StoredToken } from './earlier-tokens.ts';
import type { TokenDocuments } from './token-documents.ts';
import { isMistyped, newToken, newTokenId, tokenDigest } from './tokens.ts';

/** What opens a coordinator: one token for those who work, one for those who look and steer. Never the same. */
export type Tokens = Record<'worker' | 'operator', string>;

const tokenFiles = { worker: 'worker.token', operator: 'operator.token' } as const;
/** Whoever can read the operator token in the data folder owns the coordinator. */
const scopeOf = { worker: 'worker', operator: 'admin' } as const;
const storeFile = 'tokens.json';
const wellFormed = /^[\w-]{32,}$/;

/** Where earlier versions kept the digests of a coordinator that has no store. */
export function folderTokens(folder: string): EarlierTokens {
  const file = join(folder, storeFile);
  return {
    async all() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '{"tokens":[]}';
        throw error;
      });
      return (JSON.parse(text) as { tokens: StoredToken[] }).tokens;
    },
    forget: () => rm(file, { force: true }),
  };
}

interface AboutTokens {
  nowMs: number;
  note: string;
  /** Files with the tokens to use in place of those that the folder would make. */
  given?: TokenFiles;
}

/** Where an operator keeps tokens that workers know before the first start: secrets of an orchestrator. */
export type TokenFiles = Partial<Tokens>;

/**
 * The tokens in a data folder, made at the first start: there is no default one that everybody knows. Each is accepted
 * by all coordinators that share the registry, until it is revoked; then the folder gets a new one.
 */
export async function openTokens(
  folder: string,
  documents: TokenDocuments,
  about: AboutTokens,
): Promise<Tokens> {
  const worker = await openToken('worker', folder, documents, about);
  return { worker, operator: await openToken('operator', folder, documents, about) };
}

async function openToken(
  name: keyof Tokens,
  folder: string,
  documents: TokenDocuments,
  { nowMs, note, given = {} }: AboutTokens,
): Promise<string> {
  const file = join(folder, tokenFiles[name]);
  const scope = scopeOf[name];
  await useGiven(file, given[name]);
  let token = await fileToken(file);
  const known = await documents.find(tokenDigest(token));
  if (known && known.revokedAtMs === undefined) {
    if (known.scope !== scope) await documents.rescope(known.id, scope);
    return token;
  }
  if (known && given[name] !== undefined)
    throw new WebfarerError('usage', `the ${name} token in ${given[name]} was revoked`, {
      next: `Put another one into the file:  webfarer token new ${scope}  makes one that is accepted at once.`,
    });
  if (known) {
    token = newToken(newTokenId());
    await writeDurably(file, `${token}\n`, { mode: 0o600 });
  }
  const createdAtMs = Math.round(nowMs);
  const secrets = [{ digest: tokenDigest(token) }];
  await documents.adopt(idOf(token), { scope, team: defaultTeam, note, createdAtMs, secrets });
  return token;
}

/** The folder's file follows the one that was given, so that commands find the token where they always do. */
async function useGiven(file: string, given: string | undefined): Promise<void> {
  if (given === undefined) return;
  const token = await readToken(given).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
    throw new WebfarerError('usage', `cannot read the token file ${given}: ${error.message}`, {
      next: 'Name a file with 32 or more random letters and digits, which this user may read.',
    });
  });
  const before = await readFile(file, 'utf8').catch(() => '');
  if (before.trim() !== token) await writeDurably(file, `${token}\n`, { mode: 0o600 });
}

/** What the token says, or the beginning of its digest for one that an earlier version or a person made. */
function idOf(token: string): string {
  return /^wf_([0-9a-z]+)_/.exec(token)?.[1] ?? tokenDigest(token).slice(0, 8);
}

/** The token in a file; one that is too short to be a secret is refused. */
export async function readToken(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  const next = `Delete it and restart the coordinator, which creates a new one.`;
  if (isMistyped(token))
    throw new WebfarerError('usage', `${file} holds a damaged token: a part of it is missing or changed`, {
      next,
    });
  if (wellFormed.test(token)) return token;
  throw new WebfarerError(
    'usage',
    `${file} does not hold a token: it needs at least 32 letters, digits, - or _`,
    { next },
  );
}

/** Whole or not there at all, and of two that start at the same moment one makes it. */
async function fileToken(file: string): Promise<string> {
  try {
    return await readToken(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await createDurably(file, `${newToken(newTokenId())}\n`, { mode: 0o600 });
  return await readToken(file);
}
