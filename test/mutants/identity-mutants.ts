import type { Mutant } from './mutant.ts';

/** Who a request says it is from. */
export const identityMutants: readonly Mutant[] = [
  {
    name: 'signature-without-port',
    why: 'Sites on other ports than 443 and 80 would find every signature invalid.',
    file: 'packages/worker/src/identity/request-signer.ts',
    from: `['"@authority"', authority],`,
    to: `['"@authority"', authority.replace(/:\\d+$/, '')],`,
    killer: {
      test: 'packages/worker/src/identity/identity.test.ts',
      case: 'a request > is signed for its authority',
    },
  },
  {
    name: 'unsigned-checks',
    why: 'A site that only lets known crawlers in would report its pages as broken links.',
    file: 'packages/worker/src/egress/egress.ts',
    from: 'const signed = signer?.fieldsFor(target.authority);',
    to: "const signed = request.method === 'GET' ? signer?.fieldsFor(target.authority) : undefined;",
    killer: {
      test: 'packages/worker/src/egress/signed.test.ts',
      case: 'every request is signed for its own authority',
    },
  },
  {
    name: 'unsigned-without-a-key',
    why: 'A worker without the key would crawl unsigned under the name of the crawl, and be blocked for all.',
    file: 'packages/worker/src/crawls/open-crawl.ts',
    from: 'const signer = job.identity && signerFor(',
    to: 'const signer = job.identity && options.signingKey(job.identity) && signerFor(',
    killer: {
      test: 'packages/worker/src/crawls/worker-crawls.test.ts',
      case: 'leaves out a crawl that signs its requests where it has no key',
    },
  },
  {
    name: 'signature-for-any-directory',
    why: 'A signature could be shown under the name of another agent.',
    file: 'packages/worker/src/identity/request-signer.ts',
    from: '[`"signature-agent";key="${LABEL}"`, agent],',
    to: '',
    killer: { proof: 'signatures', args: ['--quick'], field: 'verified' },
  },
  {
    name: 'key-for-all-to-read',
    why: 'Every user of the machine could crawl in the name of its owner.',
    file: 'packages/cli/src/commands/identity.ts',
    from: 'newPrivateKey(), { mode: 0o600 })',
    to: 'newPrivateKey(), { mode: 0o644 })',
    killer: {
      test: 'packages/cli/src/commands/identity.test.ts',
      case: 'new makes a key that only its owner reads',
    },
  },
];
