import type { Mutant } from './mutant.ts';

const probe = 'packages/worker/src/session/host-probe.ts';
const test = 'packages/worker/src/session/one-bad-url.test.ts';
const alone = { test, case: 'a URL that hangs or resets its connection backs off alone' };

/** Whether a failure is one URL's or its host's. */
export const hostMutants: readonly Mutant[] = [
  {
    name: 'one-bad-url-stops-host',
    why: 'One URL that hangs would make its whole host wait, and good links behind it would be given up.',
    file: probe,
    from: "  answer.release();\n  parts.network.succeeded(held.lease.host, answer.ip, url);\n  return 'answers';",
    to: "  answer.release();\n  return 'silent';",
    killer: alone,
  },
  {
    name: 'host-rests-for-days',
    why: 'A job with many tries would have a host that answers 503 rest for days, for all teams.',
    file: 'packages/worker/src/session/url-rests.ts',
    from: 'const longestMs = 3_600_000;',
    to: 'const longestMs = 36_000_000_000;',
    killer: { test, case: 'waits twice as long after each failure, up to an hour' },
  },
  {
    name: 'dead-host-asked-on',
    why: 'Each URL of a host that is gone would be tried until its time is up.',
    file: probe,
    from: "  if (!answer.ok) return 'silent';",
    to: "  if (!answer.ok) return 'answers';",
    killer: { test, case: 'a host that answers nothing any more is in trouble at once' },
  },
  {
    name: 'robots-speaks-for-dead-host',
    why: 'A server whose robots.txt comes from a cache would be asked for every page for as long as a request may take.',
    file: probe,
    from: 'inRow < failuresOfHost && asksRobots',
    to: 'inRow > 0 && asksRobots',
    killer: { test, case: 'robots.txt alone does not speak for a host on which page after page fails' },
  },
  {
    name: 'closed-port-stops-host',
    why: 'One link to a port that is closed would stop the crawl of the host on all other ports.',
    file: 'packages/worker/src/session/permits.ts',
    from: "judgeFailure(options, unanswered, others)) !== 'answers'",
    to: "judgeFailure(options, unanswered, others)) !== 'offline'",
    killer: { test, case: 'a closed port is the trouble of what lies behind it' },
  },
  {
    name: 'probe-of-another-crawl',
    why: "A crawl would ask a host for a page of another team's crawl, which its own rules may not allow.",
    file: 'packages/worker/src/session/answered-hosts.ts',
    from: '`${crawl} ${host}`',
    to: '`${crawl.slice(0, 0)} ${host}`',
    killer: {
      test: 'packages/worker/src/session/answered-hosts.test.ts',
      case: 'knows what each crawl was answered, and nothing of the pages of another one',
    },
  },
  {
    name: 'robots-in-unknown-encoding-obeyed-as-text',
    why: 'Rules that were compressed in a way that we do not know would be none, and all pages would be fetched.',
    file: 'packages/worker/src/fetch/robots.ts',
    from: 'isStrict: true',
    to: 'isStrict: false',
    killer: {
      test: 'packages/worker/src/fetch/robots.test.ts',
      case: 'takes what cannot be decoded to its end for unreachable: nothing is fetched',
    },
  },
  {
    name: 'robots-half-read',
    why: 'Rules that end early would be taken for all rules.',
    file: 'packages/worker/src/fetch/robots.ts',
    from: 'if (decoded.truncated) {',
    to: "if (decoded.truncated === 'length') {",
    killer: {
      test: 'packages/worker/src/fetch/robots.test.ts',
      case: 'takes what cannot be decoded to its end for unreachable: nothing is fetched',
    },
  },
  {
    name: 'location-by-bytes',
    why: 'A redirect to an address in UTF-8 would be followed to another one.',
    file: 'packages/worker/src/bytes/headers.ts',
    from: "return isUtf8(bytes) ? bytes.toString('utf8') : value;",
    to: 'return isUtf8(bytes) ? value : value;',
    killer: {
      test: 'packages/worker/src/bytes/headers.test.ts',
      case: 'reads where an answer leads as UTF-8, where it is that',
    },
  },
  {
    name: 'unrequested-links-are-broken',
    why: 'Links that were never asked for would be reported as broken.',
    file: 'packages/cli/src/link-check/judge-links.ts',
    from: "if (answered.has(hostOf(url))) judged.set(url, { is: 'unchecked', reason: 'host-dead' });",
    to: "if (answered.has(hostOf(url))) judged.set(url, { is: 'broken', reason: 'host-dead' });",
    killer: {
      test: 'packages/cli/src/link-check/judge-links.test.ts',
      case: 'a link to a host that stopped answering was not checked',
    },
  },
];
