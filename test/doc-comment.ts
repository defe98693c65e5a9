import { readFileSync } from 'node:fs';

/** What stands above an exported function of a file, as text for a terminal. */
export function docCommentOf(file: string, name: string): string {
  const source = readFileSync(file, 'utf8');
  const at = source.search(new RegExp(`^export (async )?function ${name}\\b`, 'm'));
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(source.slice(0, Math.max(0, at)))?.[1] ?? '';
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}
