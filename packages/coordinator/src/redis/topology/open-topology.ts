import { type Clock, WebfarerError } from '@webfarer/protocol';
import { addressOf, type Endpoint, readStoreUrl } from '../address/address.ts';
import { isIncomplete } from '../refusals/unsuited.ts';
import { clusterTopology } from './cluster-topology.ts';
import { type Looked, lookAt } from './look-at.ts';
import { sentinelTopology } from './sentinel-topology.ts';
import { singleTopology } from './single-topology.ts';
import type { Topology } from './topology.ts';

/** Learns from the first node that answers whether this is one server or a cluster, and who holds what. */
export async function openTopology(url: string, clock: Clock): Promise<Topology> {
  const { seeds, nat, sentinel } = readStoreUrl(url);
  if (sentinel) return await sentinelTopology({ seeds, nat, sentinel, clock });
  const asked = seeds.map(lookAt);
  const first = await Promise.any(asked).catch((error: AggregateError) => {
    throw error.errors[0];
  });
  const topology = first.isCluster
    ? clusterTopology(seeds, nat, clock)
    : singleTopology(await onlyPrimary(asked), nat);
  await topology.refresh();
  if (topology.emptySlots() > 0) throw isIncomplete(topology.emptySlots());
  return topology;
}

/** Of several servers without a cluster the one that can be written to, whichever of the others answer. */
async function onlyPrimary(asked: readonly Promise<Looked>[]): Promise<Endpoint> {
  const settled = await Promise.allSettled(asked);
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const primaries = found.filter(({ isPrimary }) => isPrimary).map(({ seed }) => seed);
  const [only, ...others] = primaries;
  if (only && others.length === 0) return only;
  const names = (only ? primaries : found.map(({ seed }) => seed)).map(addressOf).join(' and ');
  if (only)
    throw new WebfarerError('usage', `${names} are separate servers, not nodes of one cluster`, {
      next: 'Name the one that keeps the crawl, or start them with cluster-enabled yes.',
    });
  const of = [...new Set(found.flatMap(({ follows }) => follows ?? []))].join(' or ');
  throw new WebfarerError('usage', `${names}: no primary is among them, and replicas cannot be written to`, {
    next: `Name the primary${of === '' ? '' : ` (${of})`} too, or the Sentinels: redis+sentinel://host:26379/NAME.`,
  });
}
