import { expect, it } from 'vitest';
import { isLoopback, namedAddress, parseListen, urlOf } from './listen-address.ts';

it.each([
  ['127.0.0.1:7311', { host: '127.0.0.1', port: 7311 }],
  ['7311', { host: '127.0.0.1', port: 7311 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  ['[::1]:7311', { host: '::1', port: 7311 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
])('reads %s', (text, address) => {
  expect(parseListen(text)).toEqual(address);
});

it.each(['', 'example.org:80', '127.0.0.1', '127.0.0.1:70000', '::1:7311', 'http://127.0.0.1:7311'])(
  'refuses %j and shows how it is written',
  (text) => {
    expect(() => parseListen(text)).toThrow(
      expect.objectContaining({ next: expect.stringContaining('7311') }),
    );
  },
);

it('knows what other machines cannot reach', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '10.0.0.1'].some(isLoopback)).toBe(false);
});

it('names an address that other machines can use', () => {
  const lo = { address: '127.0.0.1', family: 'IPv4', internal: true } as const;
  const eth = { address: '10.1.2.3', family: 'IPv4', internal: false } as const;
  const rest = { netmask: '', mac: '', cidr: null };
  const machine = { lo: [{ ...lo, ...rest }], eth0: [{ ...eth, ...rest }] };
  expect(namedAddress({ host: '0.0.0.0', port: 7 }, machine)).toEqual({ host: '10.1.2.3', port: 7 });
  expect(namedAddress({ host: '::', port: 7 }, { lo: machine.lo })).toEqual({ host: '127.0.0.1', port: 7 });
  expect(namedAddress({ host: '127.0.0.1', port: 7 }, machine)).toEqual({ host: '127.0.0.1', port: 7 });
});

it('writes IPv6 in brackets', () => {
  expect(urlOf({ host: '::1', port: 7311 })).toBe('http://[::1]:7311');
});
