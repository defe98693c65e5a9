import type { NodeInfo } from './client/node-info.ts';

/** A node that is well. */
export function wellNode(address: string, more: Partial<NodeInfo> = {}): NodeInfo {
  return {
    address,
    reachable: true,
    role: 'primary',
    version: '7.0.15',
    usedMemoryBytes: 10,
    maxMemoryBytes: 100,
    opsPerSecond: 5,
    evictedKeys: 0,
    logsWrites: true,
    lastWriteOk: true,
    linkedReplicas: 1,
    listedReplicas: 1,
    slots: 100,
    movingSlots: [],
    settings: {},
    ...more,
  };
}
