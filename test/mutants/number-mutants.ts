import type { Mutant } from './mutant.ts';

const numbers = 'packages/protocol/src/numbers';
const table = `${numbers}/number-table.ts`;
const killedBy = (words: string): Mutant['killer'] => ({ test: `${numbers}/numbers.test.ts`, case: words });
const judge = 'packages/graph/src/report/survey';

/** Numbers and states: a definition that is another one, which every surface would show. */
export const numberMutants: readonly Mutant[] = [
  {
    name: 'number-404-is-fine',
    why: 'A page that is gone would be an answer and no broken link.',
    file: `${numbers}/outcomes.ts`,
    from: 'const firstError = 400;',
    to: 'const firstError = 500;',
    killer: killedBy('says that a 404 is an answer and a broken link'),
  },
  {
    name: 'number-absent-is-zero',
    why: 'A crawl whose numbers are on their way would be shown as one that does nothing.',
    file: table,
    from: 'of: ({ inFlight }) => inFlight,',
    to: 'of: ({ inFlight }) => inFlight ?? 0,',
    killer: killedBy('tells nothing of what is not known, and never 0 in its place'),
  },
  {
    name: 'number-settled-without-refused',
    why: 'A crawl whose last URLs are refused would never come to its end on a screen.',
    file: table,
    from: '): number => done + failed + refused;',
    to: '): number => done + failed + 0 * refused;',
    killer: killedBy('counts what is settled, and its shares'),
  },
  {
    name: 'number-scope-with-limits',
    why: 'Links beyond a limit would be counted as out of scope, and a person would change the scope.',
    file: table,
    from: "new Set(['scope', 'excluded', 'not-included', 'scheme'])",
    to: "new Set(['scope', 'excluded', 'not-included', 'scheme', 'depth'])",
    killer: killedBy('adds up links by what left them out'),
  },
  {
    name: 'number-speed-of-a-paused-crawl',
    why: 'A crawl that is paused would still show the speed that it had.',
    file: table,
    from: "(state === 'running' || state === undefined ? pagesPerSecond : 0)",
    to: 'pagesPerSecond',
    killer: killedBy('has no speed and no end for a crawl that does not run'),
  },
  {
    name: 'number-leased-of-a-stopped-crawl',
    why: 'URLs that wait would be missing from the queue of a crawl that was killed, and its sum would not add up.',
    file: table,
    from: 'queued: balance.queued + balance.leased }',
    to: 'queued: balance.queued }',
    killer: killedBy('leases nothing to a crawl that nobody works on'),
  },
  {
    name: 'number-lost-login-is-a-broken-link',
    why: 'Pages behind a login that was lost would be listed as broken links.',
    file: `${numbers}/outcomes.ts`,
    from: "  'login',\n",
    to: '',
    killer: killedBy('are the fault of the link, not of our side'),
  },
  {
    name: 'number-endless-redirect-is-fine',
    why: 'A link that redirects without end would be no broken link.',
    file: `${numbers}/outcomes.ts`,
    from: "return reason === 'redirect-limit';",
    to: 'return false;',
    killer: killedBy('are not what a rule refused, but for redirects without end'),
  },
  {
    name: 'state-logged-out-runs',
    why: 'A crawl that waits for a person to log in would be called running.',
    file: `${numbers}/states.ts`,
    from: "login: 'logged-out',",
    to: "login: 'running',",
    killer: killedBy('tells who has to act'),
  },
  {
    name: 'state-refused-everything-is-finished',
    why: 'A crawl none of whose seeds was allowed would be called finished.',
    file: `${numbers}/states.ts`,
    from: 'balance.refused === balance.known',
    to: 'balance.refused > balance.known',
    killer: killedBy('calls a crawl blocked that is over and was allowed nothing'),
  },
  {
    name: 'broken-circles-are-fine',
    why: 'Redirects in a circle would be in no list of broken links.',
    file: `${judge}/broken-judge.ts`,
    from: '(ends.get(at) ?? path.has(at));',
    to: '(ends.get(at) ?? false);',
    killer: {
      test: `${judge}/bounded.test.ts`,
      case: 'include redirects in a circle and those that lead into one, and no others',
    },
  },
  {
    name: 'broken-though-never-asked',
    why: 'Links of a host that stopped answering would be called broken, though nobody asked for them.',
    file: `${judge}/broken-judge.ts`,
    from: 'dead.filter(({ url }) => !answered.has(hostOf(url)))',
    to: 'dead',
    killer: {
      test: `${judge}/bounded.test.ts`,
      case: 'do not include what was not asked, because the host had stopped answering',
    },
  },
  {
    name: 'number-left-of-a-far-limit',
    why: 'A crawl of ten URLs would be said to take at most twelve hours.',
    file: 'packages/coordinator/src/crawl/time-left/time-left.ts',
    from: 'ms <= elapsedMs() * FAR',
    to: 'ms < Infinity',
    killer: {
      test: 'packages/coordinator/src/crawl/time-left/time-left.test.ts',
      case: 'says nothing of a limit that is far off',
    },
  },
  {
    name: 'number-queue-of-a-held-host',
    why: 'A host with thousands of queued URLs would be shown with the two that a worker holds.',
    file: 'packages/coordinator/src/crawl/crawl-hosts.ts',
    from: '(stored?.queued ?? 0) + wait.queued',
    to: 'wait.queued',
    killer: {
      test: 'packages/coordinator/src/crawl/crawl-hosts.test.ts',
      case: 'counts what the store has queued of a held host, and what its worker holds',
    },
  },
  {
    name: 'number-in-flight-is-leased',
    why: 'With 100 connections, 602 requests would be said to be under way.',
    file: 'packages/coordinator/src/crawl/crawl-snapshot.ts',
    from: 'parts.isAlone ? look.inFlight : Math.min(look.inFlight, parts.held)',
    to: 'now.balance.leased',
    killer: { proof: 'numbers', args: ['--quick'], field: 'wrong' },
  },
];
