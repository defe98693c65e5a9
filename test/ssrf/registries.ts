import { BlockList, isIPv4 } from 'node:net';
import { formatAddress, type Numbered, numberOf } from './numbers.ts';

/**
 * The IANA special-purpose address registries, row by row: the range, and whether it is globally reachable.
 * `n/a` stands for rows the registry does not decide (deprecated or carried inside another protocol); for us
 * they are closed.
 */
type Row = readonly [range: string, reachable: boolean | 'n/a'];

export const ipv4Registry: readonly Row[] = [
  ['0.0.0.0/8', false],
  ['0.0.0.0/32', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false],
  ['127.0.0.0/8', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  ['192.0.0.0/24', false],
  ['192.0.0.0/29', false],
  ['192.0.0.8/32', false],
  ['192.0.0.9/32', true],
  ['192.0.0.10/32', true],
  ['192.0.0.170/32', false],
  ['192.0.0.171/32', false],
  ['192.0.2.0/24', false],
  ['192.31.196.0/24', true],
  ['192.52.193.0/24', true],
  ['192.88.99.0/24', 'n/a'],
  ['192.88.99.2/32', false],
  ['192.168.0.0/16', false],
  ['192.175.48.0/24', true],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  ['240.0.0.0/4', false],
  ['255.255.255.255/32', false],
];

export const ipv6Registry: readonly Row[] = [
  ['::1/128', false],
  ['::/128', false],
  ['::ffff:0:0/96', false],
  ['64:ff9b::/96', true],
  ['64:ff9b:1::/48', false],
  ['100::/64', false],
  ['100:0:0:1::/64', false],
  ['2001::/23', false],
  ['2001::/32', 'n/a'],
  ['2001:1::1/128', true],
  ['2001:1::2/128', true],
  ['2001:1::3/128', true],
  ['2001:2::/48', false],
  ['2001:3::/32', true],
  ['2001:4:112::/48', true],
  ['2001:10::/28', false],
  ['2001:20::/28', true],
  ['2001:30::/28', true],
  ['2001:db8::/32', false],
  ['2002::/16', 'n/a'],
  ['2620:4f:8000::/48', true],
  ['3fff::/20', false],
  ['5f00::/16', false],
  ['fc00::/7', false],
  ['fe80::/10', false],
];

/** Closed by us beyond the registries: multicast, and what a cloud answers on a public number. */
const closedToo: readonly Row[] = [
  ['224.0.0.0/4', false],
  ['168.63.129.16/32', false],
];

interface Rule {
  bits: number;
  reachable: boolean;
  list: BlockList;
}

function rulesOf(rows: readonly Row[]): Rule[] {
  const rules = rows.map(([range, reachable]) => {
    const [base = '', bits] = range.split('/');
    const list = new BlockList();
    list.addSubnet(base, Number(bits), isIPv4(base) ? 'ipv4' : 'ipv6');
    return { bits: Number(bits), reachable: reachable === true, list };
  });
  return rules.toSorted((a, b) => b.bits - a.bits);
}

const v4Rules = rulesOf([...ipv4Registry, ...closedToo]);
const v6Rules = rulesOf([['2000::/3', true], ...ipv6Registry]);

/**
 * May a crawler connect there? The longest matching row decides, as the registries say. It shares no code with the
 * guard it judges: Node matches the ranges.
 */
export function mayBeReached(address: string): boolean {
  if (isIPv4(address)) return v4Rules.find(({ list }) => list.check(address, 'ipv4'))?.reachable ?? true;
  const { value } = numberOf(address);
  const carried = formatAddress({ family: 4, value: value & 0xffffffffn });
  const top = value >> 32n;
  if (top === 0xffffn || top === 0x64ff9bn << 64n) return mayBeReached(carried);
  const open = v6Rules.find(({ list }) => list.check(address, 'ipv6'))?.reachable ?? false;
  // ISATAP: a tunnel would take us to the IPv4 address in the lower half.
  const isatap = (top & 0xfdffffffn) === 0x5efen;
  return open && (!isatap || mayBeReached(carried));
}

/** First and last address of every row, the one before and the one after. */
export function boundaryAddresses(): string[] {
  const found = [...ipv4Registry, ...ipv6Registry].flatMap(([range]) => {
    const [base = '', bits] = range.split('/');
    const first = numberOf(base);
    const size = 1n << BigInt((first.family === 4 ? 32 : 128) - Number(bits));
    const steps = [first.value, first.value + size - 1n, first.value - 1n, first.value + size];
    return steps.map((value): Numbered => ({ family: first.family, value })).filter(exists);
  });
  return found.map(formatAddress);
}

function exists({ family, value }: Numbered): boolean {
  return value >= 0n && value < 1n << (family === 4 ? 32n : 128n);
}
