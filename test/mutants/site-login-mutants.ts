import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const crawls = 'test/login/site-login.test.ts';
const store = 'packages/cli/src/accounts/account-store.test.ts';
const several = 'test/login/several-accounts.test.ts';
const inTurns = 'reads pages with several accounts of a site in turns';
const lost = 'pauses when the session is lost (soft)';

/** Crawls that are logged in with an account. */
export const siteLoginMutants: readonly Mutant[] = [
  {
    name: 'visitor-page-is-content',
    why: 'What a site shows to visitors would be recorded as a page of the account.',
    file: `${worker}/site-login/login-sign.ts`,
    from: 'return $(selector).length > 0 ? undefined :',
    to: 'return $(selector).length >= 0 ? undefined :',
    killer: { test: crawls, case: lost },
  },
  {
    name: 'redirect-to-login-is-followed',
    why: 'A lost session would be recorded as a redirect to the login page.',
    file: `${worker}/site-login/login-sign.ts`,
    from: 'return place === formPage || isSentTo?.(to) ? `sent to ${place}` : undefined;',
    to: 'return place === formPage && isSentTo?.(to) ? `sent to ${place}` : undefined;',
    killer: { test: crawls, case: 'pauses when the session is lost (redirect)' },
  },
  {
    name: 'password-tried-thrice',
    why: 'An account would be locked by tries of a password that does not work.',
    file: `${worker}/site-login/site-login.ts`,
    from: 'const MOST_TRIES = 2;',
    to: 'const MOST_TRIES = 3;',
    killer: { test: crawls, case: 'tries a password that is refused twice' },
  },
  {
    name: 'session-in-archive',
    why: 'Whoever reads the archive could act as the account.',
    file: `${worker}/session/fetch-entry.ts`,
    from: 'page: login ? withoutSession(page) : page',
    to: 'page',
    killer: { test: crawls, case: lost },
  },
  {
    name: 'session-in-crawl-folder',
    why: 'The session of the account would lie in the jar of the crawl.',
    file: `${worker}/site-login/site-logins.ts`,
    from: 'store: (url, lines) => (at(url)?.cookies ?? others).store(url, lines),',
    to: 'store(url, lines) {\n        (at(url)?.cookies ?? others).store(url, lines);\n        others.store(url, lines);\n      },',
    killer: { test: crawls, case: lost },
  },
  {
    name: 'challenge-refuses-account',
    why: 'Pages that the owner of the account could unlock would be given up as refused.',
    file: `${worker}/session/fetch-entry.ts`,
    from: 'const why = challenge ?? refused;',
    to: 'const why = refused;',
    killer: {
      test: 'test/login/account-pages.test.ts',
      case: 'waits for the person where an account is challenged with 503',
    },
  },
  {
    name: 'volunteer-reads-as-visitor',
    why: 'A volunteer, who has no account, would report what visitors see.',
    file: 'packages/coordinator/src/link/worker-session.ts',
    from: 'crawls.filter(({ job }) => job.login.length > 0)',
    to: 'crawls.filter(({ job }) => job.login.length > 9)',
    killer: { test: 'test/link/hostile.test.ts', case: 'a volunteer is given no host of a crawl that reads' },
  },
  {
    name: 'shown-visitor-page-is-content',
    why: 'A page whose script draws it for visitors would be recorded as one of the account.',
    file: `${worker}/session/fetch-entry.ts`,
    from: 'const why = await login.sign.whyOutShown(rendered);',
    to: 'const why = undefined as string | undefined;',
    killer: {
      test: 'test/login/account-pages.test.ts',
      case: 'are not recorded when the session is lost in the middle',
    },
  },
  {
    name: 'logout-link-followed',
    why: 'A crawl would log itself out.',
    file: 'packages/protocol/src/url/scope.ts',
    from: "if (account !== undefined) return no('excluded', `login: it would log ${account} out`);",
    to: '',
    killer: { test: crawls, case: 'reads pages with a stored account, and follows no link that logs out' },
  },
  {
    name: 'begins-without-account',
    why: 'A crawl would read a site as a visitor though its job names an account.',
    file: `${worker}/site-login/site-logins.ts`,
    from: 'if (own.length === 0 && (await source.revision()) === undefined)',
    to: 'if (own.length < 0 && (await source.revision()) === undefined)',
    killer: { test: crawls, case: 'refuses to begin without the account', says: 'instead of rejecting' },
  },
  {
    name: 'form-password-as-basic',
    why: 'A password for a form would be sent with every request.',
    file: 'packages/protocol/src/url/secrets.ts',
    from: 'const all = given.filter((one) => !isForm(one));',
    to: 'const all = given;',
    killer: {
      test: 'packages/protocol/src/url/secrets.test.ts',
      case: 'what a login form is sent goes with no request',
    },
  },
  {
    name: 'account-for-all-to-read',
    why: 'Other users of the machine could copy the account and the key to it.',
    file: 'packages/cli/src/accounts/account-store.ts',
    from: 'const onlyOwner = { mode: 0o600 };',
    to: 'const onlyOwner = { mode: 0o644 };',
    killer: {
      test: store,
      case: 'keeps accounts so that only their owner and the key can read them',
      says: 'can be read by other users',
    },
  },
  {
    name: 'account-without-its-pace',
    why: 'An account would be used faster than its owner allowed.',
    file: `${worker}/site-login/site-login.ts`,
    from: 'gapMs > 0 ? clock.now() + gapMs : 0',
    to: '0',
    killer: { test: several, case: inTurns },
  },
  {
    name: 'one-account-for-all',
    why: 'The session of one account would be sent in the place of another, and the others would never be used.',
    file: `${worker}/site-login/site-logins.ts`,
    from: 'as: (login) => carryLogins(plain, logins, login),',
    to: 'as: () => carryLogins(plain, logins),',
    killer: { test: several, case: inTurns },
  },
  {
    name: 'lost-account-stops-the-others',
    why: 'A site would wait for a person though another account could read on.',
    file: `${worker}/session/readers.ts`,
    from: '          .filter(({ login }) => login.isIn)\n',
    to: '          .filter(() => readers.every(({ login }) => login.isIn))\n',
    killer: { test: several, case: 'continues with the others while one is logged out' },
  },
  {
    name: 'lost-account-forgotten',
    why: 'An account that a person has logged in again would not be used for the rest of the crawl.',
    file: `${worker}/site-login/site-login.ts`,
    from: 'isWorthALook: () => !isIn && !isBusy && clock.now() >= lookedAtMs + self.restMs(),',
    to: 'isWorthALook: () => false,',
    killer: { test: several, case: 'continues with the others while one is logged out' },
  },
  {
    name: 'constant-nonce',
    why: 'Two accounts sealed with one key would give away what differs between them, and let others forge a third.',
    file: 'packages/cli/src/accounts/sealed.ts',
    from: 'const iv = randomBytes(12);',
    to: 'const iv = Buffer.alloc(12, 1);',
    killer: {
      test: 'packages/cli/src/accounts/sealed.test.ts',
      case: 'seals the same text differently each time, with a nonce that never repeats',
    },
  },
  {
    name: 'passphrase-hashed-once',
    why: 'Who copies the accounts of a machine could try out millions of passphrases a second.',
    file: 'packages/cli/src/accounts/account-store.ts',
    from: "return await keyWith((await readFile(file, 'utf8')).trim());",
    to: 'return await keyWith(undefined);',
    killer: { test: store, case: 'opens what an earlier version sealed with a passphrase' },
  },
];
