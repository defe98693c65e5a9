import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { ApiScope } from '@webfarer/protocol/api';
import type { PutAnswer, Registry, RegistryDoc } from '../registry/registry.ts';
import { newToken, newTokenId, tokenDigest } from './tokens.ts';

/** A token as the registry keeps it: by what its secrets were made into, never as it is. */
export interface TokenDoc {
  scope: ApiScope;
  team: string;
  /** What it is for, or where it was made. */
  note: string;
  createdAtMs: number;
  expiresAtMs?: number;
  /** At most an hour behind. */
  lastUsedAtMs?: number;
  /** Revoked tokens stay, so that no coordinator takes one up again from its folder. */
  revokedAtMs?: number;
  /** The newest first; more than one while a rotation overlaps. */
  secrets: TokenSecret[];
}

export interface TokenSecret {
  digest: string;
  /** It was replaced, and is accepted until then. */
  endsAtMs?: number;
}

/** What may be shown of a token. */
export interface TokenInfo extends Omit<TokenDoc, 'secrets'> {
  id: string;
  /** While a rotation overlaps: when the secret before ends. */
  previousEndsAtMs?: number;
}

export interface NewTokenOptions {
  scope: ApiScope;
  team: string;
  note: string;
  expiresInMs?: number | undefined;
}

/** The tokens of a network. The secret of a token is answered once and kept nowhere. */
export interface TokenDocuments {
  list(page: { after: string; limit: number }): Promise<{ tokens: TokenInfo[]; next: string | undefined }>;
  get(id: string): Promise<TokenInfo | undefined>;
  create(options: NewTokenOptions): Promise<{ token: string; info: TokenInfo }>;
  /** Keeps a token that was made elsewhere, unless its id is there; answers what is. */
  adopt(id: string, doc: TokenDoc): Promise<TokenInfo>;
  /** Undefined: there is no such token. A token that was revoked before stays as it is. */
  revoke(id: string): Promise<TokenInfo | undefined>;
  /** Gives it a second secret; those before end after the overlap. Undefined: there is none, or it was revoked. */
  rotate(id: string, overlapMs: number): Promise<{ token: string; info: TokenInfo } | undefined>;
  /** The same with a secret that was made elsewhere. One that it has already becomes its newest. */
  replace(id: string, token: string, overlapMs: number): Promise<TokenInfo | undefined>;
  /** Of the token with this digest among its secrets, accepted or not. */
  find(digest: string): Promise<TokenInfo | undefined>;
  /** Its owner may do more, or less, from now on. */
  rescope(id: string, scope: ApiScope): Promise<TokenInfo | undefined>;
}

const PAGE = 500;

export function openTokenDocuments(registry: Registry, clock: Pick<DatedClock, 'wall'>): TokenDocuments {
  const nowMs = () => Math.round(clock.wall());

  async function docOf(id: string): Promise<RegistryDoc<TokenDoc> | undefined> {
    return (await registry.get('token', id)) as RegistryDoc<TokenDoc> | undefined;
  }

  /** Changes what there is, however often others change it meanwhile. */
  async function change(
    id: string,
    work: (doc: TokenDoc) => TokenDoc | undefined,
  ): Promise<TokenInfo | undefined> {
    const found = await docOf(id);
    const next = found && work(found.value);
    if (!found || !next) return undefined;
    if (next === found.value) return tokenInfo(id, next);
    const answer: PutAnswer = await registry.put('token', id, found.version, next);
    return answer.kind === 'changed' ? tokenInfo(id, next) : await change(id, work);
  }

  async function replace(id: string, token: string, overlapMs: number): Promise<TokenInfo | undefined> {
    const digest = tokenDigest(token);
    return await change(id, (doc) => {
      if (doc.revokedAtMs !== undefined) return undefined;
      const [newest] = doc.secrets;
      if (newest?.digest === digest && newest.endsAtMs === undefined) return doc;
      const endsAtMs = nowMs() + overlapMs;
      const before = doc.secrets
        .filter((secret) => secret.digest !== digest)
        .map((secret) => ({ ...secret, endsAtMs: Math.min(secret.endsAtMs ?? endsAtMs, endsAtMs) }))
        .filter((secret) => secret.endsAtMs > nowMs());
      return { ...doc, secrets: [{ digest }, ...before] };
    });
  }

  return {
    async list(page) {
      const { docs, next } = await registry.list('token', page);
      return { tokens: docs.map(({ id, value }) => tokenInfo(id, value as TokenDoc)), next };
    },
    async get(id) {
      const found = await docOf(id);
      return found && tokenInfo(id, found.value);
    },
    async create({ scope, team, note, expiresInMs }) {
      const id = newTokenId();
      const token = newToken(id);
      const createdAtMs = nowMs();
      const doc: TokenDoc = {
        scope,
        team,
        note,
        createdAtMs,
        ...(expiresInMs === undefined ? {} : { expiresAtMs: createdAtMs + expiresInMs }),
        secrets: [{ digest: tokenDigest(token) }],
      };
      const answer = await registry.put('token', id, 0, doc);
      if (answer.kind === 'stale') throw new WebfarerError('internal', `the token id ${id} is taken`);
      return { token, info: tokenInfo(id, doc) };
    },
    async adopt(id, doc) {
      const answer = await registry.put('token', id, 0, doc);
      return tokenInfo(id, (answer.doc?.value as TokenDoc | undefined) ?? doc);
    },
    revoke: (id) =>
      change(id, (doc) => (doc.revokedAtMs === undefined ? { ...doc, revokedAtMs: nowMs() } : doc)),
    async rotate(id, overlapMs) {
      const token = newToken(id);
      const info = await replace(id, token, overlapMs);
      return info && { token, info };
    },
    replace,
    rescope: (id, scope) => change(id, (doc) => ({ ...doc, scope })),
    async find(digest) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await registry.list('token', { after, limit: PAGE });
        const found = page.docs.find(({ value }) =>
          (value as TokenDoc).secrets.some((secret) => secret.digest === digest),
        );
        if (found) return tokenInfo(found.id, found.value as TokenDoc);
        after = page.next;
      }
      return undefined;
    },
  };
}

/** Without digests: nobody needs to see them. */
export function tokenInfo(id: string, { secrets, ...doc }: TokenDoc): TokenInfo {
  const ends = secrets.flatMap(({ endsAtMs }) => endsAtMs ?? []);
  return { id, ...doc, ...(ends.length > 0 ? { previousEndsAtMs: Math.max(...ends) } : {}) };
}
