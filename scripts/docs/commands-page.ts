import { Writable } from 'node:stream';
import type { CliContext } from '../../packages/cli/src/context/context.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { code, generated, table } from './markdown.ts';

type Command = ReturnType<typeof createProgram>;

/** Every command with its arguments and options, as `--help` shows them. */
export function commandsPage(): string {
  const program = createProgram(nowhere(), () => undefined);
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const groups = Map.groupBy(commands, (command) => command.helpGroup() ?? '');
  return [
    generated,
    '# Commands',
    '`webfarer COMMAND --help` prints the same. Exit codes are in [reasons.md](reasons.md#errors); `webfarer completion SHELL` lets your shell complete all of this.',
    ...[...groups].flatMap(([group, members]) => [
      `## ${group.replace(/:$/, '')}`,
      ...members.flatMap((command) => sections(command, 'webfarer')),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

function sections(command: Command, before: string): string[] {
  const help = command.createHelp();
  const inside = help.visibleCommands(command);
  const name = `${before} ${command.name()}`;
  const usage = [name, ...command.registeredArguments.map((each) => argumentText(each))].join(' ');
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [
    `### ${code(inside.length > 0 ? name : usage)}`,
    sentence(command.description()),
    ...(inside.length > 0 || options.length === 0 ? [] : [optionTable(command, options)]),
    ...inside.flatMap((each) => sections(each, name)),
  ];
}

function argumentText(argument: Command['registeredArguments'][number]): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function optionTable(command: Command, options: readonly Command['options'][number][]): string {
  const help = command.createHelp();
  return table(
    ['option', 'meaning'],
    options.map((option) => [code(option.flags), help.optionDescription(option)]),
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first.endsWith('.') ? first : `${first}.`;
}

/** The commands are described, never run. */
function nowhere(): CliContext {
  const terminal = {
    out: () => undefined,
    err: () => undefined,
    live: false,
    colour: false,
    columns: () => 110,
    rows: () => 24,
  };
  return {
    terminal,
    stdout: new Writable(),
    cwd: '/',
    version: '',
    launcher: 'webfarer',
    argv: [],
  } as unknown as CliContext;
}
