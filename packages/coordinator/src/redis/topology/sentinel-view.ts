import { addressOf } from '../address/address.ts';
import type { Command, Reply } from '../wire/resp.ts';

/** What one Sentinel says of the primary that it monitors. */
export interface SentinelView {
  primary: string;
  /** Grows with every failover: the higher claim is the newer one. */
  epoch: number;
  /** All that follow it, reachable or not. */
  replicas: string[];
  /** The other Sentinels that it knows. */
  sentinels: string[];
}

export const sentinelQuestions = (name: string): Command[] => [
  ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name],
  ['SENTINEL', 'MASTER', name],
  ['SENTINEL', 'REPLICAS', name],
  ['SENTINEL', 'SENTINELS', name],
];

/** Reads the answers to `sentinelQuestions`; undefined where they are not those of a Sentinel that knows the name. */
export function readSentinel([where, primary, replicas, sentinels]: Reply[]): SentinelView | undefined {
  if (!Array.isArray(where) || !Array.isArray(primary)) return undefined;
  const [host, port] = where;
  if (typeof host !== 'string' || host === '') return undefined;
  return {
    // During a failover this is the new one from the moment it was promoted; the long answer still has the old one.
    primary: addressOf({ host, port: Number(port) }),
    epoch: Number(fieldsOf(primary).get('config-epoch') ?? 0),
    replicas: addressesIn(replicas),
    sentinels: addressesIn(sentinels),
  };
}

function addressesIn(list: Reply | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    const fields = fieldsOf(one);
    const [host, port] = [fields.get('ip'), fields.get('port')];
    return host === undefined || port === undefined ? [] : [addressOf({ host, port: Number(port) })];
  });
}

/** `name, value, name, value, ...` */
function fieldsOf(flat: Reply): Map<string, string> {
  const fields = new Map<string, string>();
  if (!Array.isArray(flat)) return fields;
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [name, value] = [flat[i], flat[i + 1]];
    if (typeof name === 'string' && typeof value === 'string') fields.set(name, value);
  }
  return fields;
}

/** Who is the primary, by the highest epoch ever heard of, and who follows it. */
export interface SentinelClaim {
  primary: string;
  epoch: number;
  replicas: ReadonlySet<string>;
}

/**
 * Takes over what Sentinels say. Only a higher epoch replaces a claim: one that is cut off believes for ever in a primary
 * that was deposed. A replica counts where any of them lists it; so does the primary of an older view, which comes back
 * as a replica.
 */
export function mergeViews(
  held: SentinelClaim | undefined,
  views: readonly SentinelView[],
): SentinelClaim | undefined {
  let newest: { primary: string; epoch: number } | undefined = held;
  for (const view of views) if (newest === undefined || view.epoch > newest.epoch) newest = view;
  if (newest === undefined) return undefined;
  const { primary, epoch } = newest;
  const replicas = new Set(views.flatMap((view) => [view.primary, ...view.replicas]));
  replicas.delete(primary);
  return { primary, epoch, replicas };
}
