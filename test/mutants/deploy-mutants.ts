import type { Mutant } from './mutant.ts';

const environment = (name: string) => ({
  test: 'packages/cli/src/commands/environment.test.ts',
  case: name,
});

const site = (name: string) => ({ test: 'test/site/site.test.ts', case: name });

/** Running as a service, and the documentation. */
export const deployMutants: readonly Mutant[] = [
  {
    name: 'deploy-unit-stops-too-soon',
    why: 'systemd would kill a worker in the middle of a graceful stop, and its requests would be repeated.',
    file: 'deploy/systemd/webfarer-worker@.service',
    from: 'TimeoutStopSec=40',
    to: 'TimeoutStopSec=20',
    killer: {
      test: 'test/deploy/deploy-files.test.ts',
      case: 'nothing kills a process of ours before a graceful stop can be over',
    },
  },
  {
    name: 'deploy-unknown-variable-ignored',
    why: 'A version that does not know WEBFARER_STORE_FILE, or a typing error in it, would begin an empty coordinator silently.',
    file: 'packages/cli/src/program.ts',
    from: "if (isService(argv[0] ?? '')) await warnOfUnknown(context);",
    to: '',
    killer: environment('names variables that no command reads, with the one that was meant'),
  },
  {
    name: 'deploy-environment-beats-the-command-line',
    why: 'An operator who types an option to try something would get what the environment says.',
    file: 'packages/cli/src/commands/environment.ts',
    from: 'return [name, ...options, ...typed, ',
    to: 'return [name, ...typed, ...options, ',
    killer: environment('puts options of the environment before those that were typed'),
  },
  {
    name: 'deploy-false-is-true',
    why: 'WEBFARER_ALLOW_MODULES=false would let jobs run modules of the machine.',
    file: 'packages/cli/src/commands/environment.ts',
    from: 'if (/^(0|false|no|off)$/i.test(value)) return false;',
    to: 'if (/^(0|false|no|off)$/i.test(value)) return true;',
    killer: environment('puts options of the environment before those that were typed'),
  },
  {
    name: 'site-page-left-out',
    why: 'Pages that nobody listed by hand could only be found by searching.',
    file: 'site/navigation.ts',
    from: "rest.unshift({ title: 'More', pages: [...left].filter((page) => !taken.has(page)) });",
    to: '',
    killer: site('every page of docs/ is in the navigation'),
  },
  {
    name: 'site-broken-link',
    why: 'A reader would follow a link to a page that does not exist.',
    file: 'docs/tutorial.md',
    from: '](first-network.md)',
    to: '](first-networks.md)',
    killer: site('no link or anchor is dead'),
  },
  {
    name: 'site-broken-anchor',
    why: 'Anchors as GitHub makes them would lead to the top of a page.',
    file: 'site/render.ts',
    from: "    .replaceAll(/\\s/g, '-');",
    to: "    .replaceAll(/\\s+/g, '_');",
    killer: site('no link or anchor is dead'),
  },
  {
    name: 'guide-command-that-fails',
    why: 'A reader who comes from wget would type the command of the guide and be refused.',
    file: 'docs/from-wget.md',
    from: 'webfarer crawl https://example.org/ --mirror --contact you@example.org\n',
    to: 'webfarer crawl https://example.org/ --mirror\n',
    killer: { proof: 'guides', args: ['--only', 'from wget'], field: 'failed' },
  },
  {
    name: 'guide-option-that-is-not-there',
    why: 'A reader would be told of an option that there is not.',
    file: 'docs/from-wget.md',
    from: '| `--spider` | `webfarer check URL` |',
    to: '| `--spider` | `webfarer check URL --spider` |',
    killer: {
      test: 'test/guides/guides.test.ts',
      case: 'the docs name no command and no option that there is not',
    },
  },
];
