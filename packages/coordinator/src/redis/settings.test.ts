import { describe, expect, it } from 'vitest';
import type { NodeInfo } from './client/node-info.ts';
import { wellNode } from './node-info.fixture.ts';
import { explainSettings } from './settings.ts';

const strict: NodeInfo['settings'] = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
  'min-replicas-to-write': '1',
  'cluster-replica-validity-factor': '10',
  'cluster-allow-replica-migration': 'no',
};

const node = (address: string, more: Partial<NodeInfo> = {}): NodeInfo =>
  wellNode(address, { usedMemoryBytes: 1, maxMemoryBytes: 0, settings: strict, ...more });

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
    ['no-appendfsync-on-rewrite', 'yes', 'broken'],
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
    expect(findings.map(({ level }) => level)).toEqual(['broken', ...new Array<string>(8).fill('weak')]);
    expect(findings.find(({ nodes }) => nodes.includes('b'))?.sentence).toContain('do not respond');
  });

  it('needs every replica that could be elected to be connected, and no more than a shard has', () => {
    const mixed = [
      node('a', { linkedReplicas: 2, listedReplicas: 2 }),
      replica('a'),
      replica('a'),
      node('b'),
      replica('b'),
    ];
    expect(explainSettings(mixed, 1).map(({ level }) => level)).toEqual(['good']);
    expect(explainSettings([node('a', { linkedReplicas: 1, listedReplicas: 2 })], 1)[0]).toMatchObject({
      sentence: expect.stringContaining('Only 1 of 2'),
      mend: 'start the missing replicas',
    });
    expect(explainSettings([node('a', { linkedReplicas: 0, listedReplicas: 0 })], 1)[0]).toMatchObject({
      sentence: expect.stringContaining('Only 0 of 1'),
      mend: expect.stringContaining('HSET {wf}v replicas 0'),
    });
    const alone = node('a', { linkedReplicas: 0, listedReplicas: 0, slots: 0 });
    expect(explainSettings([alone], 0)[0]).toMatchObject({
      level: 'good',
      sentence: expect.stringContaining('one disk'),
    });
  });
});
