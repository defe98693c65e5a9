import { isIPv4 } from 'node:net';

/** An address as a number, for tests only: the guard has its own reader. */
export interface Numbered {
  family: 4 | 6;
  value: bigint;
}

/** Reads dotted IPv4, and IPv6 written in hexadecimal groups. */
export function numberOf(address: string): Numbered {
  if (isIPv4(address)) {
    return { family: 4, value: address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array<bigint>(8 - left.length - right.length).fill(0n);
  const value = [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | group, 0n);
  return { family: 6, value };
}

function groupsOf(text: string): bigint[] {
  const groups = text === '' ? [] : text.split(':');
  return groups.flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const { value } = numberOf(group);
    return [value >> 16n, value & 0xffffn];
  });
}

export function formatAddress({ family, value }: Numbered): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, n) => (value >> BigInt(112 - 16 * n)) & 0xffffn);
  return groups.map((group) => group.toString(16)).join(':');
}
