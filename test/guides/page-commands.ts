import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface DocCommand {
  /** The path of the file without `.md`. */
  page: string;
  /** One command as a person would paste it, with its comment and all of its lines. */
  text: string;
}

/** Recipes and the tutorial are run whole, by `prove recipes`: their fences are files and outputs too. */
const runAsRecipes = /^docs\/(recipes\/|tutorial$)/;

/** Pages whose commands a reader may type. */
export function pages(): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions/'))
    .map((name) => `docs/${name.slice(0, -'.md'.length)}`);
  return ['README', ...docs.filter((page) => !runAsRecipes.test(page))].toSorted();
}

export function textOf(page: string): string {
  return readFileSync(join(root, `${page}.md`), 'utf8');
}

/** The commands of the fences marked `sh`, in their order. */
export function commandsOf(page: string, text = textOf(page)): DocCommand[] {
  return [...text.matchAll(/^```sh[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, fence = '']) =>
    logicalLines(fence).map((command) => ({ page, text: command })),
  );
}

/** A line ends where no backslash and no quote continues it. */
function logicalLines(fence: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of fence.trimEnd().split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if (line.endsWith('\\') || hasOpenQuote(open)) continue;
    if (!/^\s*(#|$)/.test(open)) commands.push(open);
    open = '';
  }
  if (open !== '') commands.push(open);
  return commands;
}

function hasOpenQuote(text: string): boolean {
  // Comments may hold apostrophes.
  const code = text.replace(/(^|\s)#.*$/gm, '');
  return (code.match(/'/g)?.length ?? 0) % 2 === 1;
}

/** The first fence of a language on a page, as a file for its commands. */
export function fenceOf(page: string, language: string): string {
  const [, found] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(textOf(page)) ?? [];
  if (found === undefined) throw new Error(`${page}.md has no fence of ${language}`);
  return found;
}
