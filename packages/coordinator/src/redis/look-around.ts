import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { StoreChoice } from '@webfarer/protocol/job';
import { type Endpoint, isSocket, readStoreUrl } from './address/address.ts';
import type { NodeInfo } from './client/node-info.ts';
import { slotOf } from './topology/slots.ts';
import { groupTag, storeTag } from './keys.ts';
import { openStore } from './store.ts';

export const isLoopback = (host: string) => isSocket(host) || /^(127\.[\d.]+|::1|localhost)$/i.test(host);

/** A server or Sentinel on another machine that is reached without a password or a client certificate. */
export function openSeed(url: string): Endpoint | undefined {
  const { seeds, sentinel } = readStoreUrl(url);
  return seeds.find((seed) => {
    const { password, passwordFile } = sentinel?.servers ?? seed;
    const signsIn = password !== undefined || passwordFile !== undefined;
    return !signsIn && seed.trust?.cert === undefined && !isLoopback(seed.host);
  });
}

/** Whoever reaches an open store can read and change every crawl in it. */
export function refuseOpenStore({ url, insecure }: Pick<StoreChoice, 'url' | 'insecure'>): void {
  const open = openSeed(url);
  if (open === undefined || insecure) return;
  throw new WebfarerError(
    'usage',
    `the store at ${open.host} is on another machine and requires neither a password nor a client certificate`,
    {
      next: 'Set a password (requirepass or an ACL user) and give it with --store-password-file or write redis://user:password@host:port, preferably with TLS (rediss://). In a trusted network, add --insecure-store.',
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
    await store.checkRights();
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
