import type { ApiSession } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { byPerson, peopleIn, personOf } from './session-list.ts';

const session = (id: string, of: Partial<ApiSession>): ApiSession => ({
  id,
  user: 'oidc:1',
  name: '',
  scope: 'viewer',
  team: 'default',
  createdAtMs: 0,
  expiresAtMs: 1,
  ...of,
});

it('calls people by name, else by address, else by their id at the provider', () => {
  expect(personOf(session('a', { name: 'Vera', email: 'v@example.org' }))).toBe('Vera');
  expect(personOf(session('a', { email: 'v@example.org' }))).toBe('v@example.org');
  expect(personOf(session('a', {}))).toBe('oidc:1');
});

it('puts the sessions of a person together, the latest first', () => {
  const list = [
    session('early', { name: 'Vera', user: 'oidc:v', createdAtMs: 1 }),
    session('other', { name: 'Olaf', user: 'oidc:o', createdAtMs: 2 }),
    session('late', { name: 'Vera', user: 'oidc:v', createdAtMs: 3 }),
  ];
  expect(byPerson(list).map(({ id }) => id)).toEqual(['other', 'late', 'early']);
});

it('counts two people of one name twice, and one person with two sessions once', () => {
  const [one, two] = [
    { name: 'Kim', user: 'oidc:1' },
    { name: 'Kim', user: 'oidc:2' },
  ];
  expect(peopleIn([session('a', one), session('b', two), session('c', one)])).toBe(2);
});
