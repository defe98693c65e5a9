import { type Names, NameRegistry } from './name-registry.ts';
import { SharedNames } from './shared-names.ts';

/** The names that are kept in a file; `process`: others may be using it at the same time. */
export async function openNames(path: string, process: number | undefined): Promise<Names> {
  return await (process === undefined ? NameRegistry : SharedNames).open(path);
}
