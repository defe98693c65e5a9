import { numberOf } from './numbers.ts';

/** Places nobody may be led to: the machine itself, its networks, and what clouds tell their machines. */
export const forbiddenPlaces = [
  '127.0.0.1',
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '0.0.0.0',
  '127.255.255.254',
  '224.0.0.1',
] as const;

export const forbiddenSixes = [
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '100::1',
  'fec0::1',
] as const;

const hex = (n: number | bigint, width = 0): string => n.toString(16).padStart(width, '0');
const other = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
/** ① has its own zero, ⓪, far from the others. */
const circled = (text: string): string =>
  text.replaceAll(/\d/g, (digit) =>
    digit === '0' ? '\u24ea' : String.fromCodePoint(0x2460 + Number(digit) - 1),
  );

/** Every way we know to write an IPv4 address as the host of a URL. */
export function spellingsOf(address: string): string[] {
  const parts = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = parts;
  const { value } = numberOf(address);
  const octal = (n: number | bigint): string => `0${n.toString(8)}`;
  const low16 = c * 256 + d;
  const low24 = b * 65_536 + low16;
  const wide = [hex(a * 256 + b, 4), hex(low16, 4)].join(':');
  const inverted = hex(~value & 0xffffffffn, 8);
  const plain = [
    address,
    `${value}`,
    `0x${hex(value)}`,
    `0X${hex(value).toUpperCase()}`,
    `0x${hex(value, 16)}`,
    octal(value),
    `0000000${octal(value)}`,
    parts.map((n) => `0x${hex(n)}`).join('.'),
    parts.map((n) => `0x${hex(n, 8)}`).join('.'),
    parts.map(octal).join('.'),
    parts.map((n) => `000000${octal(n)}`).join('.'),
    `${octal(a)}.0x${hex(b)}.${c}.${d}`,
    `${a}.${low24}`,
    `${a}.${b}.${low16}`,
    `0x${hex(a)}.${octal(low24)}`,
    `${octal(a)}.0x${hex(low24)}`,
    `${a}.0x${hex(b)}.${octal(low16)}`,
  ];
  const dressed = [
    `${address}.`,
    `${address}..`,
    `${value}.`,
    address.replaceAll('.', '\u3002'),
    address.replaceAll('.', '\uff0e'),
    address.replaceAll('.', '\uff61'),
    address.replaceAll('.', '%2e'),
    address.replaceAll('.', '\u2024'),
    other(address, 0xff10),
    other(`${value}`, 0xff10),
    other(address, 0x1d7ce),
    other(address, 0x0660),
    circled(address),
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
    other(address, 0xff10).replaceAll(/[^.]/g, (char) => encodeURIComponent(char)),
    `${address.slice(0, 1)}\u00ad${address.slice(1)}`,
    `${address.slice(0, 1)}\u200b${address.slice(1)}`,
    `${address.slice(0, 1)}\t${address.slice(1)}`,
    `${address.slice(0, 1)}\n${address.slice(1)}`,
    `${address}%00`,
    `${address}%20`,
    `${address}\u0000.allowed.test`,
  ];
  const wrapped = [
    `::ffff:${address}`,
    `::ffff:${wide}`,
    `0:0:0:0:0:ffff:${wide}`,
    `::FFFF:${address}`,
    `::${address}`,
    `::${wide}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b::${wide}`,
    `64:ff9b:1::${wide}`,
    `2002:${wide}::`,
    `2002:${wide}::1`,
    `2001:0:${wide}::1`,
    `2001::${inverted.slice(0, 4)}:${inverted.slice(4)}`,
    `2a00:1::5efe:${wide}`,
    `2a00:1::200:5efe:${address}`,
    `fe80::5efe:${wide}`,
  ].map((text) => `[${text}]`);
  return [...plain, ...dressed, ...wrapped];
}

/** What stands between scheme and path: ways to hide the true host, or to have another read for it. */
export function authoritiesFor(host: string, allowed: string): string[] {
  return [
    host,
    `${allowed}@${host}`,
    `${allowed}:80@${host}`,
    `user:${allowed}@${host}`,
    `${allowed}%40${host}`,
    `${host}\\@${allowed}`,
    `${host}#@${allowed}`,
    `${host}?@${allowed}`,
    `${allowed}#@${host}`,
    `${allowed}\\@${host}`,
    `${host}:80`,
    `${host}:8080`,
    `${host}:080`,
    `${host}:`,
    `@${host}`,
    `:@${host}`,
    `${host}/../..`,
  ];
}

/** Names that mean this machine. */
export const localNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc%61lhost',
  'any.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'localtest.test',
  'xn--localhost-.test',
  'metadata.google.internal',
  'kubernetes.default.svc',
];

/** Every URL of the direct part, for one scheme. */
export function forbiddenUrls(scheme: 'http' | 'https', allowed: string): string[] {
  const hosts = [
    ...forbiddenPlaces.flatMap(spellingsOf),
    ...forbiddenSixes.flatMap(sixSpellings),
    ...localNames,
  ];
  const tricks = ['127.0.0.1', '[::1]', '0x7f.1', 'localhost', '169.254.169.254'];
  return [
    ...hosts.map((host) => `${scheme}://${host}/canary`),
    ...tricks.flatMap((host) =>
      authoritiesFor(host, allowed).map((authority) => `${scheme}://${authority}/canary`),
    ),
    ...tricks.flatMap((host) => [
      `${scheme}:${host}/canary`,
      `${scheme}:/${host}/canary`,
      `${scheme}:///${host}/canary`,
      `${scheme}:\\\\${host}\\canary`,
      ` ${scheme}://${host}/canary`,
      `${scheme}\t://${host}/canary`,
      `${scheme.toUpperCase()}://${host}/canary`,
      `view-source:${scheme}://${host}/canary`,
    ]),
  ];
}

function sixSpellings(address: string): string[] {
  return [
    `[${address}]`,
    `[${address.toUpperCase()}]`,
    `[${address}%25lo]`,
    `[${address}%lo]`,
    `[${address}].`,
    address,
  ];
}
