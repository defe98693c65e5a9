import { parseUrl } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { inRange, isGloballyReachable, parseAddress, parseRange, sameAddress } from './address.ts';

const reachable = (text: string): boolean => {
  const address = parseAddress(text);
  if (!address) throw new Error(`not an address: ${text}`);
  return isGloballyReachable(address);
};

// Every row of the IANA special-purpose registries: first and last address, and the neighbours outside.
// [first, last, inside is reachable, before is reachable, after is reachable]
const rows: [string, string, boolean, string | undefined, boolean, string | undefined, boolean][] = [
  ['0.0.0.0', '0.255.255.255', false, undefined, false, '1.0.0.0', true],
  ['10.0.0.0', '10.255.255.255', false, '9.255.255.255', true, '11.0.0.0', true],
  ['100.64.0.0', '100.127.255.255', false, '100.63.255.255', true, '100.128.0.0', true],
  ['127.0.0.0', '127.255.255.255', false, '126.255.255.255', true, '128.0.0.0', true],
  ['169.254.0.0', '169.254.255.255', false, '169.253.255.255', true, '169.255.0.0', true],
  ['172.16.0.0', '172.31.255.255', false, '172.15.255.255', true, '172.32.0.0', true],
  ['192.0.0.0', '192.0.0.8', false, '191.255.255.255', true, undefined, false],
  ['192.0.0.9', '192.0.0.10', true, '192.0.0.8', false, '192.0.0.11', false],
  ['192.0.0.170', '192.0.0.255', false, '192.0.0.169', false, '192.0.1.0', true],
  ['192.0.2.0', '192.0.2.255', false, '192.0.1.255', true, '192.0.3.0', true],
  ['192.31.196.0', '192.31.196.255', true, undefined, false, undefined, false],
  ['192.52.193.0', '192.52.193.255', true, undefined, false, undefined, false],
  ['192.88.99.0', '192.88.99.255', false, '192.88.98.255', true, '192.88.100.0', true],
  ['192.168.0.0', '192.168.255.255', false, '192.167.255.255', true, '192.169.0.0', true],
  ['192.175.48.0', '192.175.48.255', true, undefined, false, undefined, false],
  ['198.18.0.0', '198.19.255.255', false, '198.17.255.255', true, '198.20.0.0', true],
  ['198.51.100.0', '198.51.100.255', false, '198.51.99.255', true, '198.51.101.0', true],
  ['203.0.113.0', '203.0.113.255', false, '203.0.112.255', true, '203.0.114.0', true],
  ['224.0.0.0', '255.255.255.255', false, '223.255.255.255', true, undefined, false],
  ['168.63.129.16', '168.63.129.16', false, '168.63.129.15', true, '168.63.129.17', true],
  ['::', '::1', false, undefined, false, '::2', false],
  [
    '64:ff9b:1::',
    '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
    false,
    '64:ff9b:0:ffff::',
    false,
    '64:ff9b:2::',
    false,
  ],
  ['100::', '100::ffff:ffff:ffff:ffff', false, undefined, false, '100:0:0:1::', false],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', false, '2000:ffff::', true, undefined, false],
  ['2001:1::1', '2001:1::3', true, '2001:1::', false, '2001:1::4', false],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', false, undefined, false, '2001:2:1::', false],
  ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff', true, '2001:2:ffff::', false, '2001:4::', false],
  [
    '2001:4:112::',
    '2001:4:112:ffff:ffff:ffff:ffff:ffff',
    true,
    '2001:4:111:ffff::',
    false,
    '2001:4:113::',
    false,
  ],
  ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', false, '2001:f::', false, undefined, false],
  ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', true, '2001:1f::', false, undefined, false],
  ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', true, undefined, false, '2001:40::', false],
  ['2001:200::', '2001:db7:ffff::', true, '2001:1ff:ffff::', false, '2001:db8::', false],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', false, undefined, false, '2001:db9::', true],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, '2001:ffff::', true, '2003::', true],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', true, undefined, false, undefined, false],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', false, '3ffe:ffff::', true, '3fff:1000::', true],
  ['5f00::', '5f00:ffff::', false, undefined, false, undefined, false],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, undefined, false, undefined, false],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, undefined, false, undefined, false],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, undefined, false, undefined, false],
  ['4000::', '4000::1', false, '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true, undefined, false],
];

describe('globally reachable', () => {
  it.each(rows)('%s to %s: %s', (first, last, inside, before, beforeReachable, after, afterReachable) => {
    expect([reachable(first), reachable(last)]).toEqual([inside, inside]);
    if (before !== undefined) expect([before, reachable(before)]).toEqual([before, beforeReachable]);
    if (after !== undefined) expect([after, reachable(after)]).toEqual([after, afterReachable]);
  });

  it.each([
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:8.8.8.8', true],
    ['::127.0.0.1', false],
    ['::a9fe:a9fe', false],
    ['64:ff9b::127.0.0.1', false],
    ['64:ff9b::169.254.169.254', false],
    ['64:ff9b::8.8.8.8', true],
    ['2002:7f00:1::', false],
    ['2002:808:808::', false],
    ['2a00::5efe:127.0.0.1', false],
    ['2a00::200:5efe:10.0.0.1', false],
    ['2a00::5efe:8.8.8.8', true],
    ['fd00:ec2::254', false],
    ['169.254.169.254', false],
    ['100.100.100.200', false],
    ['192.0.0.192', false],
    ['8.8.8.8', true],
    ['2606:4700:4700::1111', true],
  ])('judges %s by what it leads to: %s', (text, expected) => {
    expect(reachable(text)).toBe(expected);
  });

  // What WHATWG parsing makes of a host is what the egress is given.
  const spellings =
    '127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 0177.1 ' +
    '017700000001 0x7f.0x0.0x0.0x1 127.0x1 127.000.000.001 ①②⑦.⓪.⓪.① １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 ' +
    '[::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::FFFF:7F00:1] [0000::0001] [::127.0.0.1] 0 0.0.0.0 ' +
    '0x0 00 [::] 127.0.0.1. 10.1 0xa000001 012.0.0.1 3232235521 ' +
    '0xc0a80001 0xa9fea9fe 2852039166 0251.0376.0251.0376';
  it.each(spellings.split(' '))('sees through http://%s/', (host) => {
    const url = parseUrl(`http://${host}/`);
    if (!url) throw new Error(`WHATWG does not accept ${host}`);
    expect(reachable(url.hostname)).toBe(false);
  });
});

describe('addresses and ranges', () => {
  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.x',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '::1.2.3',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    '1.2.3.4::',
    '::1%eth0',
  ])('%s is no address', (text) => expect(parseAddress(text)).toBeUndefined());

  it.each(['10.0.0.0/33', '::/129', '10.0.0.0/x', '10.0.0.0/8/8', 'localhost/8', '10.0.0.0/', '10.0.0.0/-1'])(
    '%s is no range',
    (text) => expect(parseRange(text)).toBeUndefined(),
  );

  it('a range holds its own and nothing else', () => {
    const within = (range: string, address: string): boolean =>
      inRange(parseAddress(address) as never, parseRange(range) as never);
    expect(within('10.1.2.3/8', '10.255.255.255')).toBe(true);
    expect(within('10.0.0.0/8', '11.0.0.0')).toBe(false);
    expect(within('10.0.0.0/8', '::ffff:10.0.0.1')).toBe(true);
    expect(within('::ffff:10.0.0.0/104', '10.9.9.9')).toBe(true);
    expect(within('0.0.0.0/0', '1.2.3.4')).toBe(true);
    expect(within('0.0.0.0/0', '::2')).toBe(false);
    expect(within('fd00::/8', 'fd12::1')).toBe(true);
    expect(within('192.168.1.1', '192.168.1.1')).toBe(true);
    expect(within('192.168.1.1', '192.168.1.2')).toBe(false);
  });

  it('compares addresses by their bytes', () => {
    expect(sameAddress('::ffff:1.2.3.4', '1.2.3.4')).toBe(true);
    expect(sameAddress('fe80::1%eth0', 'fe80:0::1')).toBe(true);
    expect(sameAddress('1.2.3.4', '1.2.3.5')).toBe(false);
    expect(sameAddress(undefined, '1.2.3.4')).toBe(false);
  });
});
