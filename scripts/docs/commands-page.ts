import { Writable } from 'node:stream';
import type { CliContext } from '../../packages/cli/src/context/context.ts';
import { allCommands } from '../../packages/cli/src/command-table.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { isService, variableOf, wordsVariable } from '../../packages/cli/src/commands/environment.ts';
import { code, generated, table } from './markdown.ts';

type Command = ReturnType<typeof createProgram>;

/** Every command with its arguments and options, as `--help` shows them. */
export async function commandsPage(): Promise<string> {
  const program = createProgram(nowhere(), await allCommands(), () => undefined);
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const groups = Map.groupBy(commands, (command) => command.helpGroup() ?? '');
  return [
    generated,
    '# Commands',
    '`webfarer COMMAND --help` prints the same. Exit codes are in [reasons.md](reasons.md#errors); `webfarer completion SHELL` lets your shell complete all of this.',
    'The services (`coordinator`, `worker`, `mcp`) take every option from the environment too: their tables name the variables. An option that is typed takes precedence, and so does a file (`WEBFARER_STORE_FILE`) over the text (`WEBFARER_STORE`). Options without a value take `true` or `false`; those that can be repeated, words with spaces between them. An empty variable counts as unset; a service names each variable `WEBFARER_…` that it does not know.',
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
  // A command with others inside may still do something itself.
  const isGroup = inside.length > 0 && command.registeredArguments.length === 0;
  return [
    `### ${code(isGroup ? name : usage)}`,
    sentence(command.description()),
    ...(wordsVariable(command.name()) === undefined
      ? []
      : [
          `In the environment, ${code(wordsVariable(command.name()) ?? '')} holds the words after the options.`,
        ]),
    ...(isGroup || options.length === 0 ? [] : [optionTable(command, options)]),
    ...inside.flatMap((each) => sections(each, name)),
  ];
}

function argumentText(argument: Command['registeredArguments'][number]): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function optionTable(command: Command, options: readonly Command['options'][number][]): string {
  const help = command.createHelp();
  const service = isService(command.name());
  return table(
    ['option', ...(service ? ['environment'] : []), 'meaning'],
    options.map((option) => {
      const variable = variableOf(command.name(), option);
      const cells = service ? [variable === undefined ? '' : code(variable)] : [];
      return [code(option.flags), ...cells, help.optionDescription(option)];
    }),
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first.endsWith('.') ? first : `${first}.`;
}

/** The commands are described, never run. */
export function nowhere(): CliContext {
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
