import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { StoreChoice } from '@webfarer/protocol/job';
import { parseStoreUrl } from './client/address.ts';
import type { NodeInfo } from './client/node-info.ts';
import { slotOf } from './client/slots.ts';
import { groupTag, storeTag } from './keys.ts';
import { openStore } from './store.ts';

export const isLoopback = (host: string) => /^(127\.[\d.]+|::1|localhost)$/i.test(host);

/** Whoever reaches an open store can read and change every crawl in it. */
export function refuseOpenStore({ url, insecure }: Pick<StoreChoice, 'url' | 'insecure'>): void {
  const open = parseStoreUrl(url).find(({ host, password }) => password === undefined && !isLoopback(host));
  if (open === undefined || insecure) return;
  throw new WebfarerError(
    'usage',
    `the store at ${open.host} is on another machine and requires no password`,
    {
      next: 'Set one (requirepass or an ACL user) and write redis://user:password@host:port, preferably with TLS (rediss://). In a trusted network, add --insecure-store.',
    },
  );
}

/** Who is there, and the smallest number of replicas that any shard had when the store was first used, or has now. */
export async function lookAround(
  url: string,
  clock: Clock,
): Promise<{ nodes: NodeInfo[]; replicas: number }> {
  const store = await openStore({ url, replicas: 0, clock });
  try {
    const nodes = await store.nodes();
    const [known, moving] = await store.run([
      { key: storeTag, args: ['HGET', `${storeTag}v`, 'replicas'] },
      { key: storeTag, args: ['HKEYS', `${storeTag}m`] },
    ]);
    // Groups that we move are closed: their slots are no danger (F7).
    const ours = new Set((moving as string[]).map((group) => slotOf(groupTag(Number(group)))));
    for (const node of nodes) node.movingSlots = node.movingSlots.filter((slot) => !ours.has(slot));
    return { nodes, replicas: typeof known === 'string' ? Number(known) : store.fewestReplicas() };
  } finally {
    await store.close();
  }
}
