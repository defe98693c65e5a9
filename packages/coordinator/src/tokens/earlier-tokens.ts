import { defaultTeam } from '@webfarer/protocol/job';
import type { TokenDocuments } from './token-documents.ts';

/** A token as earlier versions kept it. */
export interface StoredToken {
  /** The first eight digits of the digest. */
  id: string;
  role: 'worker' | 'operator';
  digest: string;
  createdAtMs: number;
  note: string;
  revokedAtMs?: number;
}

/** Where earlier versions kept the tokens of a network: in its store, or in the folder of its only coordinator. */
export interface EarlierTokens {
  all(): Promise<StoredToken[]>;
  forget(tokens: readonly StoredToken[]): Promise<void>;
}

/** Makes documents of them, once: those that were revoked stay so. */
export async function adoptTokens(earlier: EarlierTokens, documents: TokenDocuments): Promise<void> {
  const tokens = await earlier.all();
  for (const { id, role, digest, createdAtMs, note, revokedAtMs } of tokens)
    await documents.adopt(id, {
      scope: role,
      team: defaultTeam,
      note,
      createdAtMs,
      ...(revokedAtMs === undefined ? {} : { revokedAtMs }),
      secrets: [{ digest }],
    });
  if (tokens.length > 0) await earlier.forget(tokens);
}
