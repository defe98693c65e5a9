import type { Mutant } from './mutant.ts';

const links = 'packages/coordinator/src/log-in/one-time-links';
const ui = 'packages/cli/src/commands/ui.test.ts';

/** The console of a local crawl: others than the person at the machine see it, or looking changes something. */
export const localConsoleMutants: readonly Mutant[] = [
  {
    name: 'ui-link-works-twice',
    why: 'Whoever reads the link later, in a terminal or over a shoulder, would be logged in.',
    file: `${links}.ts`,
    from: '      current = undefined;\n      if (isTooOld)',
    to: '      if (isTooOld)',
    killer: { test: `${links}.test.ts`, case: 'a code is exchanged once, for the token of an operator' },
  },
  {
    name: 'ui-link-never-ends',
    why: 'A link that nobody used would open the console for as long as the crawl runs.',
    file: `${links}.ts`,
    from: 'const isTooOld = current.endsAtMs <= clock.wall();',
    to: 'const isTooOld = false;',
    killer: {
      test: `${links}.test.ts`,
      case: 'a code that is too old is worth nothing, and is not asked for again',
    },
  },
  {
    name: 'ui-answers-to-names',
    why: 'A site whose name resolves to 127.0.0.1 would be of the same origin as the console.',
    file: 'packages/coordinator/src/api/http/local-only.ts',
    from: "if (isNamedByAddress(request.headers.get('host'))) return",
    to: 'if (request.url) return',
    killer: { test: ui, case: 'neither other users nor pages of other sites get anything' },
  },
  {
    name: 'ui-code-stays-in-the-address',
    why: 'The code would be in the history, and in every address that is copied.',
    file: 'packages/console/browser/log-in/link-code.ts',
    from: "if (hash.startsWith('#code='))",
    to: "if (hash === '#code=')",
    killer: {
      test: 'packages/console/browser/log-in/link-code.test.ts',
      case: 'takes the code out of the address',
    },
  },
  {
    name: 'ui-tokens-in-the-crawl-folder',
    why: 'Whoever is given the folder of a crawl could steer it wherever it is opened again.',
    file: 'packages/coordinator/src/server.ts',
    from: 'if (!links) unwatch.push(await serveTokens(',
    to: 'if (clock) unwatch.push(await serveTokens(',
    killer: { test: ui, case: 'neither code nor token is written down' },
  },
  {
    name: 'ui-console-resumes-what-it-shows',
    why: 'Looking at a stopped crawl would send requests to its sites.',
    file: 'packages/coordinator/src/coordinator.ts',
    from: "wanted: asked.paused ? 'paused' : 'asked'",
    to: "wanted: 'asked'",
    killer: { test: ui, case: 'console opens a stopped crawl paused, and resumes it when told to' },
  },
];
