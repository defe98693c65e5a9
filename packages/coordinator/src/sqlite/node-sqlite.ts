import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Database = DatabaseSync;
export type Statement = StatementSync;

// allow(state): a module is loaded once for each process
let module: typeof import('node:sqlite') | undefined;

/**
 * `node:sqlite` announces itself as experimental when it is first loaded. A person who starts a crawl can
 * do nothing with that line, so exactly this warning is kept back, and only while the module loads.
 */
export function sqlite(): typeof import('node:sqlite') {
  if (module) return module;
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    module = process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
  return module;
}
