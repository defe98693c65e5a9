import { replyArray } from '../redis/reply-array.ts';
import { storeTag } from '../redis/keys.ts';
import type { Reply } from '../redis/wire/resp.ts';
import { scripts } from '../redis/client/scripts.ts';
import type { RedisStore } from '../redis/store.ts';
import type { Member, Membership, MembershipOptions } from './membership.ts';

/** Longer, and who waits for it is taken for gone by the others anyway. */
const deadlineMs = 3_000;
/** So often everything is asked for, not only what changed: a failover may have lost a change and made another. */
const wholeEvery = 30;

type How = 'register' | 'renew' | 'leave' | 'list';

/**
 * Members on Redis or Valkey, in one script of the store: whoever is not renewed runs out by the store's clock. Each
 * answer tells only what changed since the last one, so a member costs the store little while nothing happens.
 */
export function redisMembership(store: RedisStore, { ttlMs }: MembershipOptions): Membership {
  const known = new Map<string, Member>();
  let latest = 0;
  let asked = 0;
  let said = '';
  /** One call after the other: an answer tells what is new after the one before. */
  let turn: Promise<unknown> = Promise.resolve();

  function take([, number, ids, told]: Reply[]): void {
    latest = Number(number);
    const texts = told as string[];
    for (let i = 0; i < texts.length; i += 3) {
      const [id = '', life = '', text = ''] = texts.slice(i, i + 3);
      known.set(id, { ...(JSON.parse(text) as Omit<Member, 'id' | 'life'>), id, life });
    }
    if (!Array.isArray(ids)) return;
    const here = new Set(ids as string[]);
    for (const id of known.keys()) if (!here.has(id)) known.delete(id);
  }

  async function askNow(how: How, self: Member | undefined): Promise<string> {
    const { id = '', life = '', ...rest } = self ?? {};
    const text = self === undefined ? '' : JSON.stringify(rest);
    const news = how === 'renew' && text === said ? '' : text;
    const since = asked++ % wholeEvery === 0 ? 0 : latest;
    const args = [since, how, id, life, ttlMs, news];
    const [reply = null] = await store.run([{ key: storeTag, script: scripts.members, args }], {
      // Forgotten by a failover, it would look as if another process had its place.
      durable: how === 'register',
      deadlineMs,
    });
    const answer = replyArray(reply);
    if (answer[0] !== 'OK') return answer[0] as string;
    said = text;
    take(answer);
    return 'OK';
  }

  function ask(how: How, self?: Member): Promise<string> {
    const mine = turn.then(() => askNow(how, self));
    turn = mine.catch(() => undefined);
    return mine;
  }

  const all = () => [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

  return {
    async register(self) {
      await ask('register', self);
      return all();
    },
    async renew(self) {
      const answer = await ask('renew', self);
      if (answer === 'OK') return { kind: 'ok', members: all() };
      return { kind: answer === 'GONE' ? 'gone' : 'replaced' };
    },
    async leave(self) {
      await ask('leave', self);
    },
    async list() {
      await ask('list');
      return all();
    },
  };
}
