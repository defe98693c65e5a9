import { posix } from 'node:path';
import type { Token } from './tokens.ts';

export interface ImportOf {
  specifier: string;
  line: number;
  /** `import type` and `export type`: gone before anything runs. */
  typeOnly: boolean;
  /** Names taken out of the module; empty for whole, dynamic and bare imports. */
  names: string[];
}

/** Every import, re-export, `import()` and `createRequire(…)()` in a file's tokens. */
export function importsOf(tokens: Token[]): ImportOf[] {
  const found: ImportOf[] = [];
  tokens.forEach((token, at) => {
    if (token.kind === 'word' && token.text === 'createRequire') found.push(...requiredAt(tokens, at));
    if (token.kind !== 'word' || tokens[at - 1]?.text === '.') return;
    if (token.text === 'import') found.push(...importAt(tokens, at));
    else if (token.text === 'export') found.push(...reExportAt(tokens, at));
    else if (token.text === 'require') found.push(...callAt(tokens, at));
  });
  return found;
}

function importAt(tokens: Token[], at: number): ImportOf[] {
  const next = tokens[at + 1];
  if (next?.text === '(') return callAt(tokens, at);
  if (next?.kind === 'string') return [{ ...from(next), typeOnly: false, names: [] }];
  if (next === undefined || (next.kind !== 'word' && next.text !== '{' && next.text !== '*')) return [];
  return clauseAt(tokens, at);
}

function reExportAt(tokens: Token[], at: number): ImportOf[] {
  const typed = tokens[at + 1]?.text === 'type';
  const opens = tokens[at + (typed ? 2 : 1)]?.text;
  return opens === '{' || opens === '*' ? clauseAt(tokens, at) : [];
}

/** `import a, { b as c } from 'x'` and `export { d } from 'x'`: walks to `from` and its string. */
function clauseAt(tokens: Token[], at: number): ImportOf[] {
  const second = tokens[at + 1];
  const third = tokens[at + 2];
  const typeOnly = second?.text === 'type' && third?.text !== 'from' && third?.text !== ',';
  const names: string[] = [];
  let inBraces = false;
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const next = tokens[i + 1];
    if (token.text === 'from' && next?.kind === 'string') return [{ ...from(next), typeOnly, names }];
    if (token.text === '{') inBraces = true;
    else if (token.text === '}') inBraces = false;
    else if (token.kind === 'sign' && token.text !== ',' && token.text !== '*') return [];
    else if (inBraces && isImportedName(tokens, i)) names.push(token.text);
    if (!inBraces && token.text === '}' && next?.text !== 'from') return [];
  }
  return [];
}

function isImportedName(tokens: Token[], at: number): boolean {
  const token = tokens[at] as Token;
  const previous = tokens[at - 1]?.text;
  const next = tokens[at + 1]?.text;
  if (token.text === 'type') return next === ',' || next === '}' || next === 'as';
  return token.kind === 'word' && token.text !== 'as' && previous !== 'as';
}

/** `createRequire(import.meta.url)('x')` */
function requiredAt(tokens: Token[], at: number): ImportOf[] {
  const closes = tokens.findIndex(({ kind, text }, i) => i > at && kind === 'sign' && text === ')');
  return closes < 0 ? [] : callAt(tokens, closes);
}

/** `import('x')` and `require('x')`; a specifier that is not a plain string cannot be followed. */
function callAt(tokens: Token[], at: number): ImportOf[] {
  const argument = tokens[at + 2];
  if (tokens[at + 1]?.text !== '(' || argument?.kind !== 'string') return [];
  return [{ ...from(argument), typeOnly: false, names: [] }];
}

function from(token: Token): { specifier: string; line: number } {
  return { specifier: token.text, line: token.line };
}

export const isRelative = (specifier: string): boolean => /^\.\.?(\/|$)/.test(specifier);

/** The path a relative import points at, from the project's root. */
export function resolveFrom(path: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(path), specifier));
}

/** `@scope/name/deep` → `@scope/name`, `name/deep` → `name`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}
