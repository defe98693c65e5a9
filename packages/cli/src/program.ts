import { Command, CommanderError } from 'commander';
import { addEditCommand } from './commands/remote/edit.ts';
import { addLogsCommand } from './commands/remote/logs.ts';
import { addLsCommand } from './commands/remote/ls.ts';
import { addResultsCommand } from './commands/remote/results.ts';
import { addScheduleCommand } from './commands/remote/schedule.ts';
import { addSinkCommand } from './commands/remote/sink.ts';
import { addStartCommand } from './commands/remote/start.ts';
import { addBackupCommand } from './commands/network/backup.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addCoordinatorCommand } from './commands/network/coordinator.ts';
import { addCrawlCommand } from './commands/crawl.ts';
import { addConsoleCommand } from './commands/console.ts';
import { addDevCommand } from './commands/dev.ts';
import { addDocsCommand } from './commands/docs.ts';
import { addDoctorCommand } from './commands/results/doctor.ts';
import { addExplainCommand } from './commands/results/explain.ts';
import { addExportCommand } from './commands/results/export.ts';
import { addGraphCommand } from './commands/results/graph.ts';
import type { CommandHome } from './commands/home.ts';
import { addIdentityCommand } from './commands/identity.ts';
import { addInitCommand } from './commands/init.ts';
import { addLoginCommand } from './commands/login/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addSteeringCommands } from './commands/network/steering.ts';
import { addRebuildCommand } from './commands/results/rebuild.ts';
import { addReplayCommand } from './commands/results/replay.ts';
import { addReportCommand } from './commands/results/report.ts';
import { addForgetCommand } from './commands/network/forget.ts';
import { addRetryCommand } from './commands/network/retry.ts';
import { addSearchCommand } from './commands/results/search.ts';
import { addRunCommand } from './commands/run.ts';
import { addShellCommand } from './commands/shell.ts';
import { addSizeCommand } from './commands/size.ts';
import { addStatsCommand } from './commands/results/stats.ts';
import { addStatusCommand } from './commands/network/status.ts';
import { addStoreCommand } from './commands/network/store.ts';
import { addTokenCommand } from './commands/network/token.ts';
import { addTopCommand } from './commands/network/top.ts';
import { addValidateCommand } from './commands/validate.ts';
import { addStorageCommand } from './commands/results/storage.ts';
import { addWarcCommand } from './commands/results/warc.ts';
import { addWorkerCommand } from './commands/network/worker.ts';
import type { CliContext } from './context/context.ts';
import { environmentNote, isService, withEnvironment } from './commands/environment.ts';
import { reportFailure } from './view/failure.ts';
import { takeSecrets } from './secrets/secret-options.ts';

/** Runs one command line and answers the exit code. Never throws. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exit = 0;
  const program = createProgram(context, (code) => {
    exit = code;
  });
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(fromEnvironment(argv, program, context), { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportFailure(error, context.terminal, { json: argv.includes('--json') });
  }
}

/** With the environment of a service. Commander answers which words are operands only by parsing, so a copy is asked. */
function fromEnvironment(argv: readonly string[], program: Command, context: CliContext): string[] {
  const named = (among: Command) => among.commands.find((each) => each.name() === argv[0]);
  const operands = (words: string[]) =>
    named(createProgram(context, () => undefined))?.parseOptions(words).operands ?? [];
  return withEnvironment(argv, context.environment ?? {}, { command: named(program), operands });
}

export function createProgram(context: CliContext, exit: (code: number) => void): Command {
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
    .hook('preAction', async (_program, command) => await takeSecrets(command, context));
  const home: CommandHome = { program, context, exit };
  program.commandsGroup('Crawl:');
  addCrawlCommand(home);
  addInitCommand(home);
  addRunCommand(home);
  addCheckCommand(home);
  addRetryCommand(home);
  addForgetCommand(home);
  addSteeringCommands(home);
  program.commandsGroup('On several machines:');
  addCoordinatorCommand(home);
  addWorkerCommand(home);
  addDevCommand(home);
  program.commandsGroup('At a coordinator:');
  addStartCommand(home);
  addLsCommand(home);
  addEditCommand(home);
  addScheduleCommand(home);
  addResultsCommand(home);
  addSinkCommand(home);
  addLogsCommand(home);
  program.commandsGroup('Look:');
  addStatusCommand(home);
  addTopCommand(home);
  addConsoleCommand(home);
  addExplainCommand(home);
  addShellCommand(home);
  addSearchCommand(home);
  addReportCommand(home);
  addStatsCommand(home);
  addGraphCommand(home);
  addReplayCommand(home);
  addMcpCommand(home);
  program.commandsGroup('Files:');
  addExportCommand(home);
  addWarcCommand(home);
  addStorageCommand(home);
  addValidateCommand(home);
  addIdentityCommand(home);
  addLoginCommand(home);
  program.commandsGroup('Store:');
  addBackupCommand(home);
  addRebuildCommand(home);
  addStoreCommand(home);
  addTokenCommand(home);
  program.commandsGroup('Help:');
  addDocsCommand(home);
  addDoctorCommand(home);
  addSizeCommand(home);
  addCompletionCommand(home);
  for (const command of program.commands)
    if (isService(command.name())) command.addHelpText('after', environmentNote(command.name()));
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
