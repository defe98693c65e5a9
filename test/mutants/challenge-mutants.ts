import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const knowing = `${worker}/page/challenge.test.ts`;
const crawling = 'test/library/challenges.test.ts';

/** Pages that ask for proof of being human. */
export const challengeMutants: readonly Mutant[] = [
  {
    name: 'challenge-header-ignored',
    why: 'Where a service says so in a header, its challenge would be taken for an error to try again.',
    file: `${worker}/page/challenge.ts`,
    from: 'if (told) return told;',
    to: '',
    killer: { test: knowing, case: 'says what gave a challenge away' },
  },
  {
    name: 'quoted-sign-is-a-challenge',
    why: 'A short note that quotes a script would be missing from the crawl.',
    file: `${worker}/page/challenge.ts`,
    from: "return ofService(html, isPage ? text : '')",
    to: "return ofService(html, '')",
    killer: { test: knowing, case: 'takes ordinary pages for content: a short note that quotes a script' },
  },
  {
    name: 'form-with-a-captcha-is-a-challenge',
    why: 'Contact and login pages with a CAPTCHA would be missing from the crawl.',
    file: `${worker}/page/challenge.ts`,
    from: 'if (fields > 1 || asksForMore.test(html) || textArea.test(html)) return undefined;',
    to: '',
    killer: { test: knowing, case: 'takes ordinary pages for content: a login with Turnstile' },
  },
  {
    name: 'every-body-is-searched',
    why: 'Every page of a crawl would be searched for signs of a challenge.',
    file: `${worker}/page/challenge.ts`,
    from: 'if (isPage ? shape && !isSparse(shape) : status < 400 || plainErrors.has(status)) return undefined;',
    to: '',
    killer: { test: knowing, case: 'does not look at the body of a page with content', says: 'looked at' },
  },
  {
    name: 'challenge-is-content',
    why: 'A challenge would be shown to the handler, and its links followed.',
    file: `${worker}/page/pipeline.ts`,
    from: 'if (challenge) return challenge;',
    to: '',
    killer: { test: crawling, case: 'records challenges as refusals and leaves their host alone: 200' },
  },
  {
    name: 'challenge-tried-again',
    why: 'A host that answers 503 with a challenge would be asked again for each of its pages.',
    file: `${worker}/session/fetch-entry.ts`,
    from: "if (meaning.kind === 'again' && (await findChallenge(page))) return await settled(options, page);",
    to: '',
    killer: { test: crawling, case: 'leaves their host alone: 503 that is not worth a second try' },
  },
  {
    name: 'challenging-host-asked-for-ever',
    why: 'A host that wants no crawler would be asked more often than it is said to be.',
    file: `${worker}/session/challenged-hosts.ts`,
    from: 'known.inRow >= CHALLENGES_OF_HOST',
    to: 'known.inRow > CHALLENGES_OF_HOST',
    killer: { test: crawling, case: 'leaves their host alone: 200' },
  },
  {
    name: 'challenges-not-in-a-row-add-up',
    why: 'A host that challenges now and then would be given up.',
    file: `${worker}/session/challenged-hosts.ts`,
    from: 'if (hosts.size > 0) hosts.delete(keyOf(crawl, host));',
    to: '',
    killer: { test: crawling, case: 'continues with a host that challenges now and then' },
  },
  {
    name: 'challenge-shown-in-a-browser',
    why: 'The browser would run the scripts of the challenge, and solve it where it can.',
    file: `${worker}/session/fetch-entry.ts`,
    from: 'if (await findChallenge(page)) return await settled(options, page, renderedWhy);',
    to: '',
    killer: { test: crawling, case: 'shows no challenge to a browser' },
  },
];
