import { allCommands } from '../../packages/cli/src/command-table.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { nowhere } from '../../scripts/docs/commands-page.ts';

type Command = ReturnType<typeof createProgram>;
const commands = await allCommands();

/** Every `webfarer …` of a page, in fences, in tables and within sentences. */
export function mentions(text: string): string[] {
  const inline = [...text.matchAll(/`(webfarer [^`\n]+)`/g)].map(([, found = '']) => found);
  const fenced = [...text.matchAll(/^(?:npx )?(webfarer [^\n]+(?:\\\n[^\n]+)*)/gm)].map(
    ([, found = '']) => found,
  );
  return [...inline, ...fenced];
}

/** Commands and options in it that there are not. */
export function unknownWords(mention: string): string[] {
  const own = mention.split(/\s(?:&&|[|>#])\s?/)[0] ?? '';
  const words = own.split(/\s+/).slice(1);
  let command: Command = createProgram(nowhere(), commands, () => undefined);
  const unknown: string[] = [];
  for (const word of words) {
    const inside: Command | undefined = command.commands.find((one) =>
      [one.name(), ...one.aliases()].includes(word),
    );
    if (inside) command = inside;
    else break;
  }
  if (command.parent === null && /^[a-z]/.test(words[0] ?? '')) unknown.push(words[0] ?? '');
  for (const word of words) {
    const [, option] = /^\[?(--[a-z][a-z-]*)/.exec(word) ?? [];
    const known = ['--help', '--version', ...command.options.map(({ long }) => long)];
    if (option !== undefined && !known.includes(option)) unknown.push(option);
  }
  return unknown;
}
