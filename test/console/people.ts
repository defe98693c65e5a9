import type { LogInSettings } from '@webfarer/protocol/node';
import {
  openTestProvider,
  type TestProvider,
  type TestUser,
} from '../../packages/coordinator/src/log-in/provider.fixture.ts';

export type ProviderOfPeople = TestProvider;

/** Would run, were it markup; and as long as a name may be. */
const hostileName = `<img src=x onerror=window.__ran=1>${'W'.repeat(166)}`;
/** As some providers make them. */
const longSubject = `auth0-${'0123456789abcdef'.repeat(10)}`;

const person = (called: string, groups: string[], name = called): TestUser => ({
  groups,
  name,
  email: `${called.toLowerCase().replaceAll(' ', '.')}@press.example`,
  email_verified: true,
});

/** Whom the provider knows, by what they type there. */
export const people = {
  vera: person('Vera Lind', ['readers']),
  olaf: person('Olaf Berg', ['newsroom']),
  ada: person('Ada Stern', ['crawl-admins']),
  /** Belongs to nothing that has a grant. */
  sam: person('Sam Fremd', ['kitchen']),
  [longSubject]: person('Mal Ory', ['readers'], hostileName),
} satisfies Record<string, TestUser>;
export const hostilePerson = { subject: longSubject, name: hostileName };

/** Another address than that of the coordinator: to a browser it is another site. */
export const openProvider = (): Promise<TestProvider> => openTestProvider(people, '127.0.0.2');

export const logInSettings = ({ issuer, clientId, clientSecret }: TestProvider): LogInSettings => ({
  issuer,
  clientId,
  clientSecret,
  scopes: ['openid', 'profile', 'email', 'groups'],
  groupsClaim: 'groups',
  sessionLife: 3 * 3_600_000,
  grants: [
    { group: 'crawl-admins', scope: 'admin', team: 'default' },
    { group: 'newsroom', scope: 'operator', team: 'press' },
    { group: 'readers', scope: 'viewer', team: 'press' },
  ],
});
