import { expect, it } from 'vitest';
import type { NodeInfo } from './client/node-info.ts';
import { explainHealth } from './health.ts';
import { wellNode as node } from './node-info.fixture.ts';

const told = (...nodes: NodeInfo[]) =>
  explainHealth(nodes).map(({ sentence, nodes: about }) => [/^[^.,]+/.exec(sentence)?.[0], about.join()]);

it('says nothing of nodes that are well', () => {
  expect(
    told(
      node('a'),
      node('b', { role: 'replica', of: 'a', linkUp: true, lagBytes: 100, lagMs: 1_000 }),
      node('c', { usedMemoryBytes: 79 }),
      // Without a bound nothing is full.
      node('d', { usedMemoryBytes: 1e12, maxMemoryBytes: 0 }),
    ),
  ).toEqual([]);
});

it('says what is wrong, of which nodes, and what to do next', () => {
  const nodes = [
    node('gone', { reachable: false, role: 'unknown', maxMemoryBytes: 0 }),
    node('disk', { lastWriteOk: false }),
    node('cut', { role: 'replica', linkUp: false }),
    node('late', { role: 'replica', linkUp: true, lagMs: 11_000 }),
    node('full', { usedMemoryBytes: 80 }),
    node('fuller', { usedMemoryBytes: 99 }),
    node('evicts', { evictedKeys: 1 }),
  ];
  expect(told(...nodes)).toEqual([
    ['No answer', 'gone'],
    ['The last write to disk failed', 'disk'],
    ['The replica has lost its primary', 'cut'],
    ['The replica is late: results are acknowledged only when it has them', 'late'],
    ['Over 80 % of maxmemory is used', 'full,fuller'],
    ['The server has evicted keys since it started: URLs that crawls knew are lost', 'evicts'],
  ]);
  for (const { mend } of explainHealth(nodes)) expect(mend).not.toBe('');
});
