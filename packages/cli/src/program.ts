import { Command, CommanderError } from 'commander';
import type { CommandHome } from './commands/home.ts';
import { commandHelp } from './command-help.ts';
import { allCommands, commandsOf, type LoadedGroup } from './command-table.ts';
import type { CliContext } from './context/context.ts';
import { environmentNote, isService, withEnvironment } from './commands/environment.ts';
import { reportFailure } from './view/failure.ts';

/** Runs one command line and answers the exit code. Never throws. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exit = 0;
  try {
    const groups = await commandsOf(argv);
    const create = (onExit: (code: number) => void) => createProgram(context, groups, onExit);
    const program = create((code) => {
      exit = code;
    });
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    if (isService(argv[0] ?? '')) await warnOfUnknown(context);
    await program.parseAsync(fromEnvironment(argv, context, { program, copy: create(() => undefined) }), {
      from: 'user',
    });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportFailure(error, context.terminal, { json: argv.includes('--json') });
  }
}

async function warnOfUnknown(context: CliContext): Promise<void> {
  const { warnOfUnknownVariables } = await import('./commands/unknown-variables.ts');
  const all = async () => createProgram(context, await allCommands(), () => undefined).commands;
  await warnOfUnknownVariables(context, all);
}

/** With the environment of a service. Commander answers which words are operands only by parsing, so a copy is asked. */
function fromEnvironment(
  argv: readonly string[],
  context: CliContext,
  { program, copy }: { program: Command; copy: Command },
): string[] {
  const named = (among: Command) => among.commands.find((each) => each.name() === argv[0]);
  const operands = (words: string[]) => named(copy)?.parseOptions(words).operands ?? [];
  return withEnvironment(argv, context.environment ?? {}, { command: named(program), operands });
}

export function createProgram(
  context: CliContext,
  groups: readonly LoadedGroup[],
  exit: (code: number) => void,
): Command {
  const { terminal } = context;
  const program = new Command('webfarer');
  program
    .description('A web crawler that never loses its place.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .showHelpAfterError('    --help after a command lists its options')
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(terminal.columns(), 110), showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) =>
        write(`  ✗ ${text.replace(/^error: /, '').replace(/\n(?!$)/g, '\n    ')}`),
      getOutHelpWidth: () => Math.min(terminal.columns(), 110),
      getErrHelpWidth: () => Math.min(terminal.columns(), 110),
      getOutHasColors: () => terminal.colour,
      getErrHasColors: () => terminal.colour,
    })
    .addHelpText('after', examples)
    .hook('preAction', async (_program, command) => {
      const { takeSecrets } = await import('./secrets/secret-options.ts');
      await takeSecrets(command, context);
    });
  const home: CommandHome = { program, context, exit };
  for (const { title, commands } of groups) {
    program.commandsGroup(title);
    for (const add of commands) add(home);
  }
  for (const command of program.commands) {
    command.summary(commandHelp[command.name()]?.summary ?? '');
    if (isService(command.name())) command.addHelpText('after', environmentNote(command.name()));
  }
  return program;
}

const examples = `
Examples:
  webfarer crawl example.org                          crawl a site, politely; run it again to resume
  webfarer explain https://example.org/search?q=x     why a URL was crawled, or not
  webfarer init && webfarer run job.yml               a job file you can keep
  webfarer report --broken                            what is broken, and on which page

Exit codes: 0 finished or limit reached · 2 usage · 3 nothing allowed · 4 threshold missed, or doctor found something ·
  6 storage error · 7 output incomplete · 130 interrupted, resumable
`;
