import { describe, expect, it } from 'vitest';
import type { NodeInfo } from './node-info.ts';
import { explainSettings } from './settings.ts';

const strict: NodeInfo['settings'] = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  'min-replicas-to-write': '1',
  'cluster-replica-validity-factor': '10',
  'cluster-allow-replica-migration': 'no',
};

function node(address: string, more: Partial<NodeInfo> = {}): NodeInfo {
  return {
    address,
    reachable: true,
    role: 'primary',
    version: '7.0.15',
    usedMemoryBytes: 1,
    linkedReplicas: 1,
    slots: 100,
    movingSlots: [],
    settings: strict,
    ...more,
  };
}

const replica = (of: string, more: Partial<NodeInfo> = {}) =>
  node(`${of}r`, { role: 'replica', of, linkedReplicas: 0, slots: 0, ...more });

describe('what settings promise', () => {
  it('is all that is said of strict ones', () => {
    const [only, ...more] = explainSettings([node('a'), replica('a')], 1);
    expect(only).toMatchObject({ level: 'good', sentence: expect.stringContaining('2 disks') });
    expect(more).toEqual([]);
  });

  it.each([
    ['appendonly', 'no', 'broken'],
    ['appendfsync', 'everysec', 'broken'],
    ['maxmemory-policy', 'allkeys-lru', 'broken'],
    ['min-replicas-to-write', '0', 'weak'],
    ['cluster-replica-validity-factor', '0', 'broken'],
    ['cluster-allow-replica-migration', 'yes', 'broken'],
  ] as const)('is not kept with %s %s', (name, value, level) => {
    const settings = { ...strict, [name]: value };
    const nodes = [node('a', { settings }), replica('a', { settings }), node('b'), replica('b')];
    const [finding] = explainSettings(nodes, 1);
    expect(finding).toMatchObject({ level, nodes: ['a', 'ar'] });
    expect(finding?.mend).toContain(name);
  });

  it('names settings that cannot be read, nodes that are silent and slots that move', () => {
    const findings = explainSettings(
      [
        node('a', { settings: {}, movingSlots: [7] }),
        replica('a'),
        node('b', { reachable: false, role: 'unknown' }),
      ],
      1,
    );
    expect(findings.map(({ level }) => level)).toEqual(['broken', ...new Array<string>(7).fill('weak')]);
    expect(findings.find(({ nodes }) => nodes.includes('b'))?.sentence).toContain('do not answer');
  });

  it('needs exactly as many replicas as could be elected', () => {
    const two = [node('a', { linkedReplicas: 2 }), replica('a'), replica('a')];
    expect(explainSettings(two, 1)[0]?.sentence).toContain('2 replicas but only 1');
    expect(explainSettings([node('a', { linkedReplicas: 0 }), replica('a')], 1)[0]?.sentence).toContain(
      'Only 0 of 1',
    );
    expect(explainSettings([node('a', { linkedReplicas: 0, slots: 0 })], 0)[0]).toMatchObject({
      level: 'good',
      sentence: expect.stringContaining('one disk'),
    });
  });
});
