import { describe, expect, it } from 'vitest';
import { parseStoreUrl } from '../address/address.ts';
import { type Claim, fewestReplicas, mergeClaims, parseClusterNodes, replicaLists } from './cluster-view.ts';
import { slotOf } from './slots.ts';

describe('slots', () => {
  it.each([
    // The check value of CRC16-XMODEM, and examples of the cluster specification.
    ['123456789', 0x31c3],
    ['foo', 12_182],
    ['{user1000}.following', slotOf('user1000')],
    ['foo{}{bar}', slotOf('foo{}{bar}')],
    ['foo{{bar}}zap', slotOf('{bar')],
    ['foo{bar}{zap}', slotOf('bar')],
    ['', 0],
  ])('of %j is %i', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  it('of an empty tag is that of the whole key', () => {
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('bar'));
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('foo{}'));
  });
});

const view = (lines: string[]): string => `${lines.join('\n')}\n`;
const a = (epoch: number, slots: string) =>
  `aaa 10.0.0.1:7000@17000 master - 0 1 ${epoch} connected ${slots}`;
const b = (epoch: number, slots: string) =>
  `bbb 10.0.0.2:7000@17000,name.example myself,master - 0 1 ${epoch} connected ${slots}`;

const asked = { host: 'x', tls: false };

describe('views of a cluster', () => {
  it('are read: addresses, roles, slots, slots on their way', () => {
    const text = view([
      'aaa :7000@17000 myself,master - 0 1 3 connected 0-10 12 [13->-bbb] [14-<-bbb]',
      'bbb ::1:7001@17001 slave,fail aaa 0 1 2 connected',
      'ccc :0@0 master,noaddr - 0 1 2 disconnected',
    ]);
    expect(parseClusterNodes(text, { host: '10.0.0.9', tls: false })).toEqual([
      {
        id: 'aaa',
        address: '10.0.0.9:7000',
        primary: true,
        of: '',
        failed: false,
        electable: true,
        epoch: 3,
        slots: [
          { from: 0, to: 10 },
          { from: 12, to: 12 },
        ],
        moving: [13, 14],
      },
      {
        id: 'bbb',
        address: '[::1]:7001',
        primary: false,
        of: 'aaa',
        failed: true,
        electable: true,
        epoch: 2,
        slots: [],
        moving: [],
      },
      {
        id: 'ccc',
        address: '',
        primary: true,
        of: '',
        failed: false,
        electable: true,
        epoch: 2,
        slots: [],
        moving: [],
      },
    ]);
  });

  it('are believed by the highest epoch, in whatever order and round they come', () => {
    const old = parseClusterNodes(view([a(1, '0-100')]), asked);
    const young = parseClusterNodes(view([b(4, '0-50')]), asked);
    for (const rounds of [[[old, young]], [[young, old]], [[old], [young]], [[young], [old], [old]]]) {
      const claims: (Claim | undefined)[] = [];
      for (const views of rounds) mergeClaims(claims, views);
      expect(claims[50]?.address).toBe('10.0.0.2:7000');
      expect(claims[51]?.address).toBe('10.0.0.1:7000');
      expect(claims[101]).toBeUndefined();
    }
  });

  it('name hosts where certificates do', () => {
    expect(parseClusterNodes(view([b(1, '0')]), { host: 'x', tls: true })[0]?.address).toBe(
      'name.example:7000',
    );
    expect(parseClusterNodes(view([a(1, '0')]), { host: 'x', tls: true })[0]?.address).toBe('10.0.0.1:7000');
  });

  it('follow a node to a new address', () => {
    const claims: (Claim | undefined)[] = [];
    mergeClaims(claims, [parseClusterNodes(view([a(1, '0')]), asked)]);
    mergeClaims(claims, [parseClusterNodes(view([a(1, '0').replace('10.0.0.1', '10.0.0.7')]), asked)]);
    expect(claims[0]?.address).toBe('10.0.0.7:7000');
  });
});

describe('replicas that could be elected', () => {
  const nodes = (...lines: string[]) => parseClusterNodes(view(lines), asked);
  const shards = [a(1, '0-100'), b(1, '101-200')];
  const replica = (id: string, of: string, flags = 'slave') =>
    `${id} 10.0.1.1:7000@17000 ${flags} ${of} 0 1 1 connected`;

  it('are counted for each primary, whether they are reachable or not', () => {
    const lost = 'r3 :0@0 slave,fail,noaddr bbb 0 1 1 disconnected';
    const views = [nodes(...shards, replica('r1', 'aaa'), replica('r2', 'aaa', 'slave,fail'), lost)];
    const lists = replicaLists(views);
    expect([lists.get('10.0.0.1:7000')?.size, lists.get('10.0.0.2:7000')?.size]).toEqual([2, 1]);
    expect(fewestReplicas(views, lists)).toBe(1);
  });

  it('are those that any view lists, without those that may not be elected', () => {
    const views = [
      nodes(...shards, replica('r1', 'aaa'), replica('r2', 'aaa', 'slave,nofailover')),
      nodes(...shards, replica('r4', 'aaa')),
    ];
    expect(replicaLists(views).get('10.0.0.1:7000')).toEqual(new Set(['r1', 'r4']));
  });

  it('include a primary that was replaced and will follow the one that took its place', () => {
    const deposed = 'ddd 10.0.0.4:7000@17000 master,fail - 0 1 1 disconnected';
    const views = [nodes(...shards, replica('r1', 'aaa'), deposed)];
    expect(fewestReplicas(views, replicaLists(views))).toBe(1);
  });
});

describe('the address of a store', () => {
  it('has a user, a password, TLS and more nodes where wanted', () => {
    expect(parseStoreUrl('redis://localhost')).toEqual([{ host: 'localhost', port: 6379, tls: false }]);
    expect(parseStoreUrl('rediss://me:p%40ss@a:1,[::1]:2')).toEqual([
      { host: 'a', port: 1, tls: true, user: 'me', password: 'p@ss' },
      { host: '::1', port: 2, tls: true, user: 'me', password: 'p@ss' },
    ]);
  });

  it('is refused without showing the password', () => {
    expect(() => parseStoreUrl('http://me:secret@a')).toThrow(/^(?!.*secret).*invalid store address/);
  });
});
