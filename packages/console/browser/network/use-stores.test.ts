import { expect, it } from 'vitest';
import { byShard, type StoreNode } from './use-stores.ts';

const node = (address: string, role: StoreNode['role'], of?: string): StoreNode => ({
  kind: 'node',
  address,
  reachable: true,
  role,
  version: '7.0.15',
  ...(of === undefined ? {} : { of }),
});

it('shows each primary with its replicas behind it, and those of no known shard last', () => {
  const nodes = [
    node('a:9', 'unknown'),
    node('a:11', 'replica', 'a:2'),
    node('a:10', 'primary'),
    node('a:3', 'replica', 'a:10'),
    node('a:2', 'primary'),
    node('a:4', 'replica', 'a:2'),
  ];
  expect(byShard(nodes).map(({ address }) => address)).toEqual(['a:2', 'a:4', 'a:11', 'a:10', 'a:3', 'a:9']);
});
