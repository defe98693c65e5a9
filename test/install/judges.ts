import { readFileSync } from 'node:fs';
import type { Tarball } from '../../scripts/package/pack.ts';

/** What publint says about a tarball: fields, exports, and files that they name. */
export async function publintFailures({ name, path }: Tarball): Promise<string[]> {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  const bytes = readFileSync(path);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map(
    (message) => `publint ${name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

/** Ways to import that exist for a package of ES modules. */
const ways = new Set(['node16-esm', 'bundler']);

/** What are-the-types-wrong says about a tarball: whether compilers find types, and the right ones. */
export async function typesFailures({ name, path }: Tarball): Promise<string[]> {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const result = await checkPackage(createPackageFromTarballData(readFileSync(path)), {
    excludeEntrypoints: [/^\.\/vendor\//, /\.json$/],
  });
  if (result.types === false) return [`attw ${name}: there are no types`];
  return result.problems
    .filter((problem) => !('resolutionKind' in problem) || ways.has(problem.resolutionKind))
    .map((problem) => `attw ${name}: ${problem.kind} ${JSON.stringify(problem).slice(0, 300)}`);
}
