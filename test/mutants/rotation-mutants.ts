import type { Mutant } from './mutant.ts';

const killer = { proof: 'rotation', args: ['--quick'], field: 'wrong' } as const;

/** Secrets that are rotated while everything runs, and what is said of it. */
export const rotationMutants: readonly Mutant[] = [
  {
    name: 'rotation-password-read-once',
    why: 'After a password was rotated, every coordinator would have to be restarted.',
    file: 'packages/coordinator/src/redis/wire/sign-in.ts',
    from: "  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {",
    to: `  const kept = globalThis as { readOnce?: Promise<string> };
  const text = await (kept.readOnce ??= readFile(file, 'utf8')).catch((error: NodeJS.ErrnoException) => {`,
    killer,
  },
  {
    name: 'rotation-token-read-once',
    why: 'After a worker token was rotated, every worker would have to be restarted.',
    file: 'packages/cli/src/network/given-token.ts',
    from: 'return file === undefined ? () => token : () => tokenIn(resolve(context.cwd, file));',
    to: 'return () => token;',
    killer,
  },
  {
    name: 'rotation-first-certificate-kept',
    why: 'A renewed certificate would be read and reported, and not be used before a restart.',
    file: 'packages/coordinator/src/api/http/http-server.ts',
    from: 'server.setSecureContext({ minVersion: tlsLimits.minVersion, cert, key });',
    to: 'void [cert, key];',
    killer,
  },
  {
    name: 'rotation-ready-by-an-old-connection',
    why: 'A coordinator whose password is refused would call itself ready until its last connection is lost.',
    file: 'packages/coordinator/src/store/join-store.ts',
    from: 'askAfresh: () => store.askAfresh(storeTag, askMs),',
    to: `async askAfresh() {
        await store.run([{ key: storeTag, args: ['EXISTS', storeTag] }]);
      },`,
    killer,
  },
];
