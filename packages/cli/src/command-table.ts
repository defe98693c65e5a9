import { commandHelp } from './command-help.ts';
import type { CommandHome } from './commands/home.ts';

export type AddCommand = (home: CommandHome) => void;

interface CommandEntry {
  /** What is typed for it. */
  names: readonly string[];
  load(): Promise<AddCommand>;
}

/** Commands as `--help` groups them. Each is loaded when it is typed: a start would otherwise load the code of all. */
const groups: { title: string; commands: CommandEntry[] }[] = [
  {
    title: 'Crawl:',
    commands: [
      { names: ['crawl'], load: async () => (await import('./commands/crawl.ts')).addCrawlCommand },
      { names: ['init'], load: async () => (await import('./commands/init.ts')).addInitCommand },
      { names: ['run'], load: async () => (await import('./commands/run.ts')).addRunCommand },
      { names: ['check'], load: async () => (await import('./commands/check.ts')).addCheckCommand },
      { names: ['retry'], load: async () => (await import('./commands/network/retry.ts')).addRetryCommand },
      {
        names: ['forget'],
        load: async () => (await import('./commands/network/forget.ts')).addForgetCommand,
      },
      {
        names: ['pause', 'resume', 'stop'],
        load: async () => (await import('./commands/network/steering.ts')).addSteeringCommands,
      },
    ],
  },
  {
    title: 'On several machines:',
    commands: [
      {
        names: ['coordinator'],
        load: async () => (await import('./commands/network/coordinator.ts')).addCoordinatorCommand,
      },
      {
        names: ['worker'],
        load: async () => (await import('./commands/network/worker.ts')).addWorkerCommand,
      },
      { names: ['dev'], load: async () => (await import('./commands/dev.ts')).addDevCommand },
    ],
  },
  {
    title: 'At a coordinator:',
    commands: [
      { names: ['start'], load: async () => (await import('./commands/remote/start.ts')).addStartCommand },
      { names: ['ls'], load: async () => (await import('./commands/remote/ls.ts')).addLsCommand },
      { names: ['edit'], load: async () => (await import('./commands/remote/edit.ts')).addEditCommand },
      {
        names: ['schedule'],
        load: async () => (await import('./commands/remote/schedule.ts')).addScheduleCommand,
      },
      {
        names: ['results'],
        load: async () => (await import('./commands/remote/results.ts')).addResultsCommand,
      },
      { names: ['sink'], load: async () => (await import('./commands/remote/sink.ts')).addSinkCommand },
      { names: ['logs'], load: async () => (await import('./commands/remote/logs.ts')).addLogsCommand },
      {
        names: ['quotas'],
        load: async () => (await import('./commands/remote/quotas.ts')).addQuotasCommand,
      },
    ],
  },
  {
    title: 'Look:',
    commands: [
      {
        names: ['status'],
        load: async () => (await import('./commands/network/status.ts')).addStatusCommand,
      },
      { names: ['top'], load: async () => (await import('./commands/network/top.ts')).addTopCommand },
      { names: ['console'], load: async () => (await import('./commands/console.ts')).addConsoleCommand },
      {
        names: ['explain'],
        load: async () => (await import('./commands/results/explain.ts')).addExplainCommand,
      },
      { names: ['shell'], load: async () => (await import('./commands/shell.ts')).addShellCommand },
      {
        names: ['search'],
        load: async () => (await import('./commands/results/search.ts')).addSearchCommand,
      },
      {
        names: ['report'],
        load: async () => (await import('./commands/results/report.ts')).addReportCommand,
      },
      { names: ['stats'], load: async () => (await import('./commands/results/stats.ts')).addStatsCommand },
      { names: ['graph'], load: async () => (await import('./commands/results/graph.ts')).addGraphCommand },
      {
        names: ['replay'],
        load: async () => (await import('./commands/results/replay.ts')).addReplayCommand,
      },
      { names: ['mcp'], load: async () => (await import('./commands/mcp.ts')).addMcpCommand },
    ],
  },
  {
    title: 'Files:',
    commands: [
      {
        names: ['export'],
        load: async () => (await import('./commands/results/export.ts')).addExportCommand,
      },
      { names: ['warc'], load: async () => (await import('./commands/results/warc.ts')).addWarcCommand },
      {
        names: ['storage'],
        load: async () => (await import('./commands/results/storage.ts')).addStorageCommand,
      },
      { names: ['validate'], load: async () => (await import('./commands/validate.ts')).addValidateCommand },
      { names: ['identity'], load: async () => (await import('./commands/identity.ts')).addIdentityCommand },
      { names: ['login'], load: async () => (await import('./commands/login/login.ts')).addLoginCommand },
    ],
  },
  {
    title: 'Store:',
    commands: [
      {
        names: ['backup'],
        load: async () => (await import('./commands/network/backup.ts')).addBackupCommand,
      },
      {
        names: ['rebuild'],
        load: async () => (await import('./commands/results/rebuild.ts')).addRebuildCommand,
      },
      { names: ['store'], load: async () => (await import('./commands/network/store.ts')).addStoreCommand },
      { names: ['token'], load: async () => (await import('./commands/network/token.ts')).addTokenCommand },
    ],
  },
  {
    title: 'Help:',
    commands: [
      { names: ['docs'], load: async () => (await import('./commands/docs.ts')).addDocsCommand },
      {
        names: ['doctor'],
        load: async () => (await import('./commands/results/doctor.ts')).addDoctorCommand,
      },
      { names: ['size'], load: async () => (await import('./commands/size.ts')).addSizeCommand },
      {
        names: ['completion'],
        load: async () => (await import('./commands/completion.ts')).addCompletionCommand,
      },
    ],
  },
];

export interface LoadedGroup {
  title: string;
  commands: AddCommand[];
}

/** It prints all commands with their options. */
const knowsAll = 'completion';

export const allCommands = (): Promise<LoadedGroup[]> => load(() => true);

/**
 * What a command line needs: the command it names. One that names none of ours gets help or an error, for which the
 * list of commands is enough, unless a command stands behind an option.
 */
export async function commandsOf(words: readonly string[]): Promise<LoadedGroup[]> {
  const [first] = words;
  if (!words.some((word) => word in commandHelp)) return listedCommands();
  const isNamed = ({ names }: CommandEntry) => first !== undefined && names.includes(first);
  const isKnown = groups.some(({ commands }) => commands.some(isNamed));
  return isKnown && first !== knowsAll ? await load(isNamed) : await allCommands();
}

async function load(isWanted: (entry: CommandEntry) => boolean): Promise<LoadedGroup[]> {
  return await Promise.all(
    groups.map(async ({ title, commands }) => ({
      title,
      commands: await Promise.all(commands.filter(isWanted).map((entry) => entry.load())),
    })),
  );
}

/** All commands as `--help` lists them, without their code. */
function listedCommands(): LoadedGroup[] {
  return groups.map(({ title, commands }) => ({
    title,
    commands: commands.flatMap(({ names }) => names.map(listed)),
  }));
}

const listed =
  (name: string): AddCommand =>
  ({ program }) => {
    const [, options, words = ''] = /^(\[options\])? ?(.*)$/.exec(commandHelp[name]?.usage ?? '') ?? [];
    const command = program.command(`${name} ${words}`.trim());
    if (options !== undefined) command.option('--any');
  };

/** Every word that names a command, as the table has them. */
export const commandNames = (): string[] =>
  groups.flatMap(({ commands }) => commands.flatMap(({ names }) => names));
