import { matchesGlob } from 'node:path';
import { testFiles } from './test-files.ts';

/** What a file is to CI. */
export type Kind = 'proof' | 'bench' | 'test';

export function kindOf({ path, text }: { path: string; text: string }): Kind | undefined {
  if (testFiles.some((pattern) => matchesGlob(path, pattern))) return 'test';
  if (/^test\/prove\/[^/]+\.ts$/.test(path) && /^export (async )?function prove\b/m.test(text))
    return 'proof';
  if (/^bench\/[^/]+\.ts$/.test(path) && /^export (async )?function bench\b/m.test(text)) return 'bench';
  return undefined;
}
