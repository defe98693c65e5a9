import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
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
  await useGiven(file, given[name], documents);
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

/** How long a token is accepted after another one has taken its place in the file that was given. */
const OVERLAP_MS = 24 * 3_600_000;

/**
 * The folder's file follows the one that was given, so that commands find the token where they always do. The token
 * before stays valid for a day: workers and other coordinators get theirs later.
 */
async function useGiven(file: string, given: string | undefined, documents: TokenDocuments): Promise<void> {
  if (given === undefined) return;
  const token = await givenToken(given);
  const before = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (before === token) return;
  const known = (await documents.find(tokenDigest(token))) ?? (await documents.find(tokenDigest(before)));
  if (known) await documents.replace(known.id, token, OVERLAP_MS);
  await writeDurably(file, `${token}\n`, { mode: 0o600 });
}

async function givenToken(given: string): Promise<string> {
  return await readToken(given).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
    throw new WebfarerError('usage', `cannot read the token file ${given}: ${error.message}`, {
      next: 'Name a file with 32 or more random letters and digits, which this user may read.',
    });
  });
}

export interface TokenWatch extends Omit<AboutTokens, 'nowMs'> {
  clock: DatedClock;
  inUse: Tokens;
  /** Another token is accepted from now on. */
  changed: (file: string) => void;
  /** The file cannot be used; the token before stays valid. */
  refused: (error: WebfarerError) => void;
}

/** How often the files that were given are read again. */
const LOOK_MS = 2_000;

/** Follows the files that were given, so that a rotated token needs no restart. Answers how to stop. */
export function watchTokens(
  folder: string,
  documents: TokenDocuments,
  watch: TokenWatch,
): () => Promise<void> {
  const stopped = new AbortController();
  const told = new Map<keyof Tokens, string>();
  const inUse = { ...watch.inUse };

  async function look(name: keyof Tokens, given: string): Promise<void> {
    try {
      const token = await givenToken(given);
      if (token === inUse[name]) return void told.delete(name);
      inUse[name] = await openToken(name, folder, documents, { ...watch, nowMs: watch.clock.wall() });
      told.delete(name);
      watch.changed(given);
    } catch (error) {
      const { message } = error as Error;
      // What is wrong with the store is told elsewhere.
      if (told.get(name) !== message && error instanceof WebfarerError && error.code === 'usage')
        watch.refused(error);
      told.set(name, message);
    }
  }

  async function keepLooking(): Promise<void> {
    while (!stopped.signal.aborted) {
      await watch.clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
      for (const [name, given] of Object.entries(watch.given ?? {}))
        if (!stopped.signal.aborted) await look(name as keyof Tokens, given);
    }
  }

  const looking = keepLooking();
  return async () => {
    stopped.abort();
    await looking;
  };
}

/** What the token says, or the beginning of its digest for one that an earlier version or a person made. */
function idOf(token: string): string {
  return /^wf_([0-9a-z]+)_/.exec(token)?.[1] ?? tokenDigest(token).slice(0, 8);
}

/** The token in a file; one that is too short to be a secret is refused. */
export async function readToken(file: string): Promise<string> {
  return checkedToken(await readFile(file, 'utf8'), file);
}

/** The same at once, for a connection that is just being opened. */
export function tokenIn(file: string): string {
  return checkedToken(readFileSync(file, 'utf8'), file);
}

function checkedToken(text: string, file: string): string {
  const token = text.trim();
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
