import { randomBytes } from 'node:crypto';
import type { DatedClock } from '@webfarer/protocol';
import type { ApiScope } from '@webfarer/protocol/api';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import { isSameDigest, tokenDigest } from '../tokens/tokens.ts';

/** Somebody who has logged in, and what they may do. */
export interface SessionUser {
  /** As the audit log names them. */
  user: string;
  name: string;
  /** Verified by the issuer. */
  email?: string;
  scope: ApiScope;
  team: string;
}

/** A session as the registry keeps it: by what its secret was made into, never as it is. */
export interface SessionDoc extends SessionUser {
  digest: string;
  createdAtMs: number;
  expiresAtMs: number;
}

export interface SessionInfo extends Omit<SessionDoc, 'digest'> {
  id: string;
}

export interface SessionHolder {
  /** The user, not the session: what the audit log names. */
  id: string;
  /** As the issuer names the user; empty where it does not. */
  name: string;
  scope: ApiScope;
  team: string;
  /** The id of the session. */
  session: string;
}

/** Who is logged in, at all coordinators of the store. */
export interface Sessions {
  /** As last seen, at most two seconds ago. Undefined: unknown, expired or ended. */
  holderOf(secret: string): SessionHolder | undefined;
  /** The same after a look at the registry: another coordinator may have opened it just now. */
  freshHolderOf(secret: string): Promise<SessionHolder | undefined>;
  open(user: SessionUser, lifeMs: number): Promise<{ id: string; secret: string }>;
  /** False: there is no such session. */
  end(id: string): Promise<boolean>;
  list(page: {
    after: string;
    limit: number;
  }): Promise<{ sessions: SessionInfo[]; next: string | undefined }>;
}

export interface SessionsOptions {
  registry: Registry;
  watch: RegistryWatch;
  clock: Pick<DatedClock, 'wall'>;
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const format = /^([0-9a-f]{16})\.[\w-]{43}$/;
/** Of one user; the oldest ends when there is one more. */
const MOST_OF_USER = 20;
/** Looks a second for sessions that this coordinator does not know: anybody can send one. */
const MOST_ASKED = 20;

/**
 * The sessions of the registry. An ended session is removed from it, and so is an expired one when its user, or anybody
 * else, logs in again. While the store is unreachable, what was last seen holds.
 */
export async function openSessions({ registry, watch, clock }: SessionsOptions): Promise<Sessions> {
  const { docs } = await watch.follow<SessionDoc>('session');
  /** Ended here, while the registry may still be looked up as it was. */
  const ended = new Set<string>();
  let asked = { count: 0, second: 0 };

  function holderOf(secret: string): SessionHolder | undefined {
    const doc = docs.get(format.exec(secret)?.[1] ?? '');
    if (!doc || ended.has(doc.id) || doc.value.expiresAtMs <= clock.wall()) return undefined;
    const { digest, user, name, scope, team } = doc.value;
    if (!isSameDigest(tokenDigest(secret), digest)) return undefined;
    return { id: user, name, scope, team, session: doc.id };
  }

  function mayAsk(): boolean {
    const second = Math.floor(clock.wall() / 1_000);
    if (asked.second !== second) asked = { count: 0, second };
    return ++asked.count <= MOST_ASKED;
  }

  async function drop(id: string): Promise<boolean> {
    for (;;) {
      const doc = await registry.get('session', id);
      if (!doc) return false;
      if ((await registry.remove('session', id, doc.version)).kind === 'changed') return true;
    }
  }

  /** Makes room: what has expired, and what one user has too many of. */
  async function clean(user: string): Promise<void> {
    const all = [...docs.values()];
    const expired = all.filter(({ value }) => value.expiresAtMs <= clock.wall());
    const own = all
      .filter((doc) => doc.value.user === user && !expired.includes(doc))
      .toSorted((a, b) => a.value.createdAtMs - b.value.createdAtMs);
    const surplus = own.slice(0, Math.max(0, own.length - MOST_OF_USER + 1));
    for (const { id } of [...expired, ...surplus]) await drop(id);
  }

  return {
    holderOf,
    async freshHolderOf(secret) {
      const id = format.exec(secret)?.[1];
      if (id === undefined || docs.has(id) || !mayAsk()) return undefined;
      await watch.look();
      return holderOf(secret);
    },
    async open(user, lifeMs) {
      await clean(user.user);
      const id = randomBytes(ID_BYTES).toString('hex');
      const secret = `${id}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
      const createdAtMs = Math.round(clock.wall());
      const doc: SessionDoc = {
        ...user,
        digest: tokenDigest(secret),
        createdAtMs,
        expiresAtMs: createdAtMs + lifeMs,
      };
      await registry.put('session', id, 0, doc);
      await watch.look().catch(() => undefined);
      return { id, secret };
    },
    async end(id) {
      const isThere = await drop(id);
      // Until the next look; it stays out of the way of an id that never comes back.
      ended.add(id);
      await watch.look().then(
        () => ended.delete(id),
        () => undefined,
      );
      return isThere;
    },
    async list(page) {
      const { docs: found, next } = await registry.list('session', page);
      const alive = (found as RegistryDoc<SessionDoc>[]).filter(
        ({ value }) => value.expiresAtMs > clock.wall(),
      );
      return { sessions: alive.map(sessionInfo), next };
    },
  };
}

function sessionInfo({ id, value: { digest: _digest, ...shown } }: RegistryDoc<SessionDoc>): SessionInfo {
  return { id, ...shown };
}
