import { expect, it } from 'vitest';
import { readHostsFile } from './hosts-file.ts';

const text =
  '\ufeff127.0.0.1\tlocalhost\r\n# 10.0.0.1 off\r\n10.0.0.7 Shop shop.test # on\r\n::1 localhost\r\nrubbish\r\n';

it.each([
  ['win32', 'C:\\Windows\\System32\\drivers\\etc\\hosts'],
  ['darwin', '/etc/hosts'],
  ['linux', '/etc/hosts'],
] as const)('is read where %s keeps it', (platform, path) => {
  const asked: string[] = [];
  const hosts = readHostsFile(platform, (at) => {
    asked.push(at);
    return text;
  });
  expect(asked).toEqual([path]);
  expect([...hosts]).toEqual([
    ['localhost', ['127.0.0.1', '::1']],
    ['shop', ['10.0.0.7']],
    ['shop.test', ['10.0.0.7']],
  ]);
});

it('may be missing', () => {
  const missing = () => {
    throw new Error('ENOENT');
  };
  expect(readHostsFile('win32', missing).size).toBe(0);
});
