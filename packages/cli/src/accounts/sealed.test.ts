import { expect, it } from 'vitest';
import { keyOf, newSalt, seal, unseal } from './sealed.ts';

it('seals the same text differently each time, with a nonce that never repeats', async () => {
  const key = await keyOf('the key', undefined);
  const all = Array.from({ length: 1_000 }, () => seal('the same', 'name', key));
  expect(new Set(all.map(({ iv }) => iv)).size).toBe(1_000);
  expect(new Set(all.map(({ data }) => data)).size).toBe(1_000);
  expect(all.every((one) => unseal(one, 'name', key) === 'the same')).toBe(true);
});

it('derives another key from the same passphrase for another salt, at a cost', async () => {
  const [one, two] = [newSalt(), newSalt()];
  const plain = await keyOf('correct horse', undefined);
  const keys = await Promise.all([keyOf('correct horse', one), keyOf('correct horse', two)]);
  expect(new Set([plain, ...keys].map(({ bytes }) => bytes.toString('hex'))).size).toBe(3);
  const sealed = seal('text', 'name', await keyOf('correct horse', one));
  expect(sealed.salt).toBe(one);
  expect(unseal(sealed, 'name', await keyOf(' correct horse\n', one))).toBe('text');
  expect(() => unseal(sealed, 'name', plain)).toThrow();
});
