import type { Mutant } from './mutant.ts';

const live = 'packages/coordinator/src/live-login';
const accounts = 'test/login/coordinator-accounts.test.ts';
const view = `${live}/live-view.test.ts`;

/** Logins by a live view of a browser on another machine. */
export const liveLoginMutants: readonly Mutant[] = [
  {
    name: 'ticket-opens-twice',
    why: 'An address that lies in a history or a log would open the login again.',
    file: `${live}/live-login.ts`,
    from: '      ticket = undefined;\n      isViewed = true;',
    to: '      isViewed = true;',
    more: [
      {
        file: `${live}/live-login.ts`,
        from: 'if (!end) ticket = digestOf(made);',
        to: 'if (!end) ticket ??= digestOf(made);',
      },
    ],
    killer: { test: view, case: 'opens with a ticket once' },
  },
  {
    name: 'view-under-any-name',
    why: 'A site whose name leads to this machine could load the view as a page of its own.',
    file: 'packages/coordinator/src/api/http/listen-address.ts',
    from: "return name === 'localhost' || isIP(",
    to: "return name !== '' || isIP(",
    killer: { test: view, case: 'is no page for other sites' },
  },
  {
    name: 'input-before-ticket',
    why: 'A page of another program on the machine could type into the browser.',
    file: `${live}/live-view.ts`,
    from: "const login = data.type === 'hello' ? admitted(data.ticket) : undefined;",
    to: "const login = data.type === 'hello' ? admitted(data.ticket) : logins()[0];",
    killer: { test: view, case: 'takes no input before the ticket' },
  },
  {
    name: 'pictures-ahead-of-viewer',
    why: 'Pictures for a slow viewer would fill the memory.',
    file: 'packages/worker/src/browser/live-browser.ts',
    from: 'await Promise.all([own.picture(next), clock.sleep(PICTURE_MS)]);',
    to: 'void own.picture(next);\n      await clock.sleep(PICTURE_MS);',
    killer: {
      test: 'packages/worker/src/browser/live-browser.test.ts',
      case: 'makes no pictures ahead of a viewer that is slow',
    },
  },
  {
    name: 'done-with-nothing',
    why: 'An account without a login would replace the one that was there.',
    file: `${live}/live-login.ts`,
    from: "if ('missing' in answer) return answer.missing;",
    to: "if ('missing' in answer) await finish('kept', answer.missing);\n    else",
    killer: { test: view, case: 'stays open where there is nothing to keep yet' },
  },
  {
    name: 'operators-open-browsers',
    why: 'An operator could look at private addresses through the coordinator, and replace accounts.',
    file: 'packages/protocol/src/api/site-logins.ts',
    from: "path: '/v1/site-logins',\n    scope: 'admin',\n    family,\n    summary: 'Open",
    to: "path: '/v1/site-logins',\n    scope: 'operator',\n    family,\n    summary: 'Open",
    killer: { test: 'test/login/live-login.test.ts', case: 'does the same at a coordinator' },
  },
  {
    name: 'absent-account-ends-worker',
    why: 'One crawl that names an account nobody has would end the work on all others of the coordinator.',
    file: 'packages/cli/src/network/coordinator-service.ts',
    from: 'leavesOut: standing,',
    to: 'leavesOut: false,',
    killer: { test: accounts, case: 'leaves out a crawl whose account is not there' },
  },
  {
    name: 'challenge-is-a-loss',
    why: 'A person would be asked for a password where the site asks for proof of being human.',
    file: 'packages/worker/src/session/fetch-entry.ts',
    from: 'isChallenge: challenge !== undefined, epoch',
    to: 'isChallenge: false, epoch',
    killer: { test: accounts, case: 'says that the site asks for proof of being human' },
  },
  {
    name: 'nothing-waits-for-login',
    why: 'A lost session would look as if nothing depended on it.',
    file: `${live}/site-accounts.ts`,
    from: 'own.every((use) => use.site !== site || !use.isIn)',
    to: 'own.every((use) => use.site !== site || use.isIn)',
    killer: { test: accounts, case: 'tells of accounts' },
  },
  {
    name: 'operators-list-accounts',
    why: 'Every operator would learn whose accounts the machine has.',
    file: 'packages/protocol/src/api/site-logins.ts',
    from: "path: '/v1/site-accounts',\n    scope: 'admin',",
    to: "path: '/v1/site-accounts',\n    scope: 'operator',",
    killer: { test: accounts, case: 'removes an account for admins' },
  },
  {
    name: 'login-test-drops-session',
    why: 'A look at whether the account is logged in would log it out where the site renames sessions.',
    file: 'packages/cli/src/accounts/test-login.ts',
    from: 'if (renewed.length > 0) cookies.store(url, renewed);',
    to: '',
    killer: { test: 'test/login/login-test.test.ts', case: 'says that an account is logged in' },
  },
];
