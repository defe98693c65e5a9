import type { CliContext } from '../../context/context.ts';
import { clean } from '../../terminal/text.ts';
import type { RemoteOptions } from './remote.ts';

export interface EditOptions extends RemoteOptions {
  set?: string[];
  unset?: string[];
  tag?: string[];
  rescope?: boolean;
}

export type Changes = Record<string, unknown>;

/** What each setting was and is. */
export function printChanges(
  { terminal }: CliContext,
  { set = [], unset = [] }: EditOptions,
  { before, after }: { before: Changes; after: Changes },
): void {
  for (const path of [...set, ...unset].map((text) => text.split('=', 1)[0] ?? ''))
    terminal.out(`    ${clean(path)}: ${shown(before, path)} → ${shown(after, path)}\n`);
}

function shown(job: Changes, path: string): string {
  let value: unknown = job;
  for (const step of path.split('.')) value = (value as Changes | undefined)?.[step];
  return value === undefined ? 'default' : clean(typeof value === 'string' ? value : JSON.stringify(value));
}
