/**
 * Which addresses belong to the public internet. The decision is made on the bytes of an address, never
 * on its spelling, and IPv6 forms that carry an IPv4 address are judged by the address they carry.
 */

/** An IP address as a number; an IPv4-mapped IPv6 address is the IPv4 address it stands for. */
export interface Address {
  family: 4 | 6;
  value: bigint;
}

export interface Range {
  family: 4 | 6;
  /** First address of the range, host bits cleared. */
  base: bigint;
  bits: number;
}

const mappedPrefix = 0xffffn << 32n;

/** Understands dotted IPv4 (four decimal parts only) and every textual form of IPv6, brackets allowed. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith('[') && text.endsWith(']')) return parseV6(text.slice(1, -1));
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): Address | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return undefined;
  let value = 0n;
  for (let i = 1; i <= 4; i += 1) {
    const part = Number(match[i]);
    if (part > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return { family: 4, value };
}

function parseV6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  // Only the very end may be written as IPv4.
  const head = groupsOf(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] as string, true) : [];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  const value = groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
  if (value >> 32n === 0xffffn) return { family: 4, value: value - mappedPrefix };
  return { family: 6, value };
}

function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (part.includes('.')) {
      const v4 = isEnd && i === parts.length - 1 ? parseV4(part) : undefined;
      if (!v4) return undefined;
      groups.push(Number(v4.value >> 16n), Number(v4.value & 0xffffn));
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function parseRange(text: string): Range | undefined {
  const [base, bitsText, ...rest] = text.split('/');
  const address = parseAddress(base as string);
  if (!address || rest.length > 0) return undefined;
  const size = address.family === 4 ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  let bits = bitsText === undefined ? size : Number(bitsText);
  // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
  if (address.family === 4 && (base as string).includes(':') && bitsText !== undefined) bits -= 96;
  if (bits < 0 || bits > size) return undefined;
  const shift = BigInt(size - bits);
  return { family: address.family, base: (address.value >> shift) << shift, bits };
}

export function inRange(address: Address, range: Range): boolean {
  if (address.family !== range.family) return false;
  const shift = BigInt((range.family === 4 ? 32 : 128) - range.bits);
  return address.value >> shift === range.base >> shift;
}

/** All of the one is part of the other. */
export function isWithin(part: Range, whole: Range): boolean {
  return part.bits >= whole.bits && inRange({ family: part.family, value: part.base }, whole);
}

export function sameAddress(a: string | undefined, b: string): boolean {
  const left = a === undefined ? undefined : parseAddress(a.replace(/%.*$/, ''));
  const right = parseAddress(b);
  return (
    left !== undefined && right !== undefined && left.family === right.family && left.value === right.value
  );
}

const ranges = (...texts: string[]): Range[] => texts.map((text) => parseRange(text) as Range);

// From the IANA special-purpose registries. An exception is a globally reachable part of a blocked range.
const v4Blocked = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Public by number, but a cloud provider's own machine seen from inside it.
  '168.63.129.16/32',
);
const v4Exceptions = ranges('192.0.0.9/32', '192.0.0.10/32');

// Only 2000::/3 is handed out to the public; what is not listed there is closed by default.
const v6Public = ranges('2000::/3');
const v6Blocked = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');
const v6Exceptions = ranges(
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
);
const nat64 = ranges('64:ff9b::/96');

const within = (address: Address, list: Range[]): boolean => list.some((range) => inRange(address, range));

/** True when the address is meant to be reached from anywhere on the internet. */
export function isGloballyReachable(address: Address): boolean {
  if (address.family === 4) return !within(address, v4Blocked) || within(address, v4Exceptions);
  if (within(address, nat64)) return isGloballyReachable({ family: 4, value: address.value & 0xffffffffn });
  if (!within(address, v6Public)) return false;
  if (within(address, v6Blocked) && !within(address, v6Exceptions)) return false;
  return isatapIsGlobal(address);
}

/** ISATAP puts an IPv4 address behind `0:5efe` in the lower half; a tunnel would take us there. */
function isatapIsGlobal(address: Address): boolean {
  const tag = (address.value >> 32n) & 0xffffffffn;
  if (tag !== 0x00005efen && tag !== 0x02005efen) return true;
  return isGloballyReachable({ family: 4, value: address.value & 0xffffffffn });
}
