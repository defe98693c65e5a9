import type { Forecast } from '@webfarer/protocol/resources';
import { useMemo } from 'react';
import { useLive } from '../api/connected.tsx';

/** A server of a shared store. What is not known of one that does not answer is absent. */
export interface StoreNode {
  kind: 'node';
  address: string;
  reachable: boolean;
  role: 'primary' | 'replica' | 'unknown';
  of?: string;
  version: string;
  /** Of one that does not answer: when it last did. */
  seenAtMs?: number;
  usedMemoryBytes?: number;
  maxMemoryBytes?: number;
  opsPerSecond?: number;
  evictedKeys?: number;
  logsWrites?: boolean;
  lastWriteOk?: boolean;
  linkUp?: boolean;
  lagBytes?: number;
  linkedReplicas?: number;
  listedReplicas?: number;
  slots?: number;
  moving?: number;
  policy?: string;
  full?: Forecast;
}

/** What is wrong, and what to do about it. */
export interface Finding {
  kind: 'finding';
  level: 'broken' | 'weak';
  sentence: string;
  mend?: string;
  nodes: string[];
}

export interface DataFolder {
  kind: 'folder';
  path: string;
  bytes: number;
  files: number;
  isWhole: boolean;
  byUse: Partial<Record<'databases' | 'results' | 'archives' | 'logs' | 'other', number>>;
  freeBytes: number;
  totalBytes: number;
  full?: Forecast;
}

export function useStores() {
  const { documents, isWhole } = useLive({ topic: 'list', list: 'stores', minIntervalMs: 5_000 });
  return useMemo(() => {
    const all = [...documents.values()] as (StoreNode | Finding | DataFolder)[];
    return {
      isWhole,
      nodes: all.filter((one) => one.kind === 'node'),
      findings: all.filter((one) => one.kind === 'finding'),
      folder: all.find((one) => one.kind === 'folder'),
    };
  }, [documents, isWhole]);
}

/** Each primary with its replicas behind it; those whose primary is not known come last. */
export function byShard(nodes: readonly StoreNode[]): StoreNode[] {
  const shard = ({ role, address, of = '' }: StoreNode) => (role === 'primary' ? address : of);
  const rank = ({ role }: StoreNode) => (role === 'primary' ? 0 : role === 'replica' ? 1 : 2);
  const compare = (a: string, b: string) => a.localeCompare(b, undefined, { numeric: true });
  return nodes.toSorted(
    (a, b) =>
      Number(rank(a) === 2) - Number(rank(b) === 2) ||
      compare(shard(a), shard(b)) ||
      rank(a) - rank(b) ||
      compare(a.address, b.address),
  );
}
