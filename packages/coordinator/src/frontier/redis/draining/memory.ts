import { type Context, groupsByShard } from '../context/context.ts';
import { groupTag } from '../../../redis/keys.ts';

/** Above this part of a server's maxmemory nothing new is begun: what is in flight still has to be recorded. */
const tightAt = 0.9;

/** Shards whose memory runs out, and that in words. Without `maxmemory` a server has no limit to keep to. */
export async function fullMemory(context: Context): Promise<Map<number, string>> {
  const { store, shards } = context;
  const found = new Map<number, string>();
  const works = groupsByShard(context).map(([group = 0]) => ({
    key: groupTag(group),
    async work() {
      const [info] = await store.run([{ key: groupTag(group), args: ['INFO', 'memory'] }], {
        durable: false,
      });
      const words = typeof info === 'string' ? tightMemory(info) : undefined;
      if (words !== undefined)
        found.set(shards.numberOf(group), `the store at ${store.primaryOf(groupTag(group))} ${words}`);
    },
  }));
  await shards.together(works);
  return found;
}

/** What to say of a server whose memory runs out. */
export function tightMemory(info: string): string | undefined {
  const used = figure(info, 'used_memory');
  const most = figure(info, 'maxmemory');
  if (most === 0 || used < most * tightAt) return undefined;
  const part = Math.round((used / most) * 100);
  return `uses ${part} % of its memory (maxmemory ${Math.round(most / 1_000_000)} MB): raise maxmemory, or add shards and move groups to them`;
}

function figure(info: string, name: string): number {
  // allow(expression): of the names that this file asks for
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
