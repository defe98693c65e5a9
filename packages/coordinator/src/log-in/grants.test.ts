import { expect, it } from 'vitest';
import { grantFor } from './grants.ts';

const grants = [
  { group: 'admins', email: '*@example.org', scope: 'admin', team: 'default' },
  { group: 'admins', scope: 'operator', team: 'default' },
  { email: 'Carl@Example.org', scope: 'viewer', team: 'press' },
] as const;

function grantOf(claims: Record<string, unknown>, groupsClaim = 'groups') {
  return grantFor({ sub: 's', ...claims }, { grants: [...grants], groupsClaim });
}

it('takes the first grant of which everything fits', () => {
  const verified = { email: 'ann@EXAMPLE.org', email_verified: true };
  expect(grantOf({ groups: ['admins'], ...verified })).toMatchObject({ scope: 'admin' });
  expect(grantOf({ groups: ['admins'] })).toMatchObject({ scope: 'operator' });
  expect(grantOf({ groups: 'admins' })).toMatchObject({ scope: 'operator' });
  expect(grantOf({ ...verified, email: 'carl@example.org' })).toMatchObject({ team: 'press' });
  expect(grantOf({ groups: ['admin', 'Admins', 7, null] })).toBeUndefined();
  expect(grantOf({})).toBeUndefined();
});

it('believes no address that the issuer has not verified, nor one that only ends alike', () => {
  expect(grantOf({ email: 'carl@example.org' })).toBeUndefined();
  expect(grantOf({ email: 'carl@example.org', email_verified: 'true' })).toBeUndefined();
  const at = (email: string) => grantOf({ groups: ['admins'], email, email_verified: true })?.scope;
  expect(at('a@example.org')).toBe('admin');
  expect(at('a@evil-example.org')).toBe('operator');
  expect(at('a@example.org@evil.test')).toBe('operator');
});

it('finds groups in a claim within a claim, or one whose name has dots', () => {
  expect(grantOf({ realm_access: { roles: ['admins'] } }, 'realm_access.roles')).toMatchObject({
    scope: 'operator',
  });
  expect(grantOf({ 'https://x.example/groups': ['admins'] }, 'https://x.example/groups')).toBeDefined();
  expect(grantOf({}, '__proto__.admins')).toBeUndefined();
});
