import { WebfarerError } from '@webfarer/protocol';
import { scripts } from '../redis/client/scripts.ts';
import { storeTag } from '../redis/keys.ts';
import { replyArray } from '../redis/reply-array.ts';
import { forgetTries, type HostHistory, type HostRoster } from './host-history.ts';
import { activityIn, noHosts, rosterIn, rosterText } from './host-samples.ts';
import type { RedisHistoryOptions } from './redis-history.ts';
import { levelSize, slotMs } from './samples.ts';

/** The hosts of the crawls of a store over time: one hash for each crawl, a field for each sample. */
export function redisHostHistory({ store, look, nowMs }: RedisHistoryOptions): HostHistory {
  type Found = NonNullable<Awaited<ReturnType<typeof look>>>;
  const now = () => (nowMs ? Math.floor(nowMs()) : '');

  async function run(script: 'hostRoster' | 'hostSample', { c, nonce }: Found, more: (string | number)[]) {
    const args = [c, nonce, now(), slotMs, ...more];
    const call = { key: storeTag, script: scripts[script], args };
    // What a failover loses leaves a gap: nobody waits for replicas.
    const [reply = null] = await store.run([call], { durable: false });
    return replyArray(reply);
  }

  async function roster(found: Found): Promise<HostRoster | undefined> {
    const answer = await run('hostRoster', found, []);
    if (answer[0] !== 'OK') return undefined;
    const [, slot, version, hosts, isSampled] = answer as [string, string, string, string, number];
    return { slot: Number(slot), version, hosts: rosterIn(hosts), isSampled: isSampled === 1 };
  }

  return {
    async look(crawl) {
      const found = await look(crawl);
      return found && (await roster(found));
    },
    async note(crawl, { seen, hosts, places }, { last = false, over = false } = {}) {
      const found = await look(crawl);
      if (!found) return;
      const sample = [seen.version, seen.slot, rosterText(hosts), places, levelSize];
      await run('hostSample', found, [...sample, last || over ? 1 : 0, over ? 1 : 0]);
    },
    async forget(crawl, isForgotten) {
      const found = await look(crawl);
      for (let tries = 0; found && tries < forgetTries; tries++) {
        const kept = await roster(found);
        if (!kept?.hosts.some(({ host }) => host !== '' && isForgotten(host))) return;
        const others = kept.hosts.map((each) =>
          each.host !== '' && isForgotten(each.host) ? { ...each, host: '' as const } : each,
        );
        const [word] = await run('hostRoster', found, [kept.version, rosterText(others)]);
        if (word !== 'STALE') return;
      }
      if (found)
        throw new WebfarerError('conflict', 'the hosts of the crawl change too often to forget some');
    },
    async activity(crawl) {
      const found = await look(crawl);
      if (!found) return activityIn(noHosts);
      const call = { key: storeTag, args: ['HGETALL', `${storeTag}${found.c}b`] };
      const [reply = null] = await store.run([call], { durable: false });
      const flat = replyArray(reply) as string[];
      const fields = new Map<string, string>();
      for (let at = 0; at < flat.length; at += 2) fields.set(flat[at] ?? '', flat[at + 1] ?? '');
      const samples = [...fields].flatMap(([name, text]) => (/^\d+$/.test(name) ? [text] : []));
      return activityIn({ roster: fields.get('hosts') ?? '', samples, thinned: fields.get('o') ?? '' });
    },
  };
}
