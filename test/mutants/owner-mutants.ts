import type { Mutant } from './mutant.ts';

const owners = 'packages/coordinator/src/owners';
const test = `${owners}/site-owners.test.ts`;
const page = 'the page for the owners of sites';

/** What people without a token may do. */
export const ownerMutants: readonly Mutant[] = [
  {
    name: 'owner-not-proven',
    why: 'Anyone could stop the crawl of any host, and read what was fetched from it.',
    file: `${owners}/site-owners.ts`,
    from: '    if (!holdsToken(answer.text, wanted, place)) throw',
    to: '    if (answer.text === undefined) throw',
    killer: {
      test,
      case: `${page} > changes and shows nothing without the token, with that of another, or after a redirect`,
    },
  },
  {
    name: 'owner-proven-by-any-status',
    why: 'An error page or a redirect could be taken for the word of the owner.',
    file: `${owners}/site-owners.ts`,
    from: 'if (answer.status !== 200)',
    to: 'if (answer.status === 0)',
    killer: {
      test,
      case: `${page} > changes and shows nothing without the token, with that of another, or after a redirect`,
    },
  },
  {
    name: 'owner-token-repeated-by-a-page',
    why: 'A page that repeats what visitors wrote would prove that a stranger owns the site.',
    file: `${owners}/owner-proof.ts`,
    from: 'return text.trim() === token;',
    to: 'return text.includes(token);',
    killer: {
      test,
      case: `${page} > changes and shows nothing without the token, with that of another, or after a redirect`,
    },
  },
  {
    name: 'owner-check-of-an-opted-out-host',
    why: 'A stranger could have a host contacted whose owner was promised to be left alone.',
    file: `${owners}/site-owners.ts`,
    from: "if (rules.of(host)?.kind === 'refuse')",
    to: "if (rules.of(host)?.kind === 'gap')",
    killer: { test, case: `${page} > asks nothing of a host that is refused already, whoever wants it` },
  },
  {
    name: 'owner-shortens-a-pause',
    why: 'An owner who wants a pause of two seconds would end the longer one of an operator.',
    file: `${owners}/owner-rules.ts`,
    from: 'const longest = Math.max(gapMs, leastGapMs(host));',
    to: 'const longest = gapMs;',
    killer: { test, case: `${page} > never makes what operators decided weaker` },
  },
  {
    name: 'owner-checks-unlimited',
    why: 'Strangers could have a site contacted as often as they like.',
    file: `${owners}/owner-limits.ts`,
    from: 'return times.length < most ? 0 :',
    to: 'return times.length >= 0 ? 0 :',
    killer: {
      test,
      case: 'limits of the page for owners > let all sites together be contacted sixty times a minute',
    },
  },
  {
    name: 'owner-check-of-a-private-address',
    why: 'A stranger could read files of the network of the coordinator, one guess at a time.',
    file: 'packages/cli/src/network/owner-way.ts',
    from: '          allowPrivate,\n          signal,',
    to: "          allowPrivate: ['127.0.0.0/8', ...allowPrivate],\n          signal,",
    killer: {
      test: 'packages/cli/src/network/owner-way.test.ts',
      case: 'reads from a private address only where that is allowed, and follows no redirect',
    },
  },
];
