import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import type { WantedState } from '@webfarer/coordinator';
import type { CommandHome } from '../home.ts';
import { addOptionalAt, isRemote, type RemoteOptions } from '../remote/remote.ts';
import { steerRemote, type SteeringVerb } from '../remote/steer-remote.ts';

const verbs = {
  pause: { state: 'paused', done: 'paused' },
  resume: { state: 'running', done: 'resumed' },
  stop: { state: 'stopped', done: 'stopped' },
} as const satisfies Record<string, { state: WantedState; done: string }>;

/** A crawl obeys within a second; one whose store does not answer may take this long to be told. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 100;

/** Steers the crawl that runs in a folder of this machine, its own process or a coordinator's; or one at a coordinator. */
export function addSteeringCommands({ program, context }: CommandHome): void {
  for (const [name, verb] of Object.entries(verbs)) {
    const command = program
      .command(name)
      .description(
        'Works on a crawl that runs on this machine, from another terminal, or on a crawl of a coordinator, wherever that runs. For a crawl in a store, it applies to all of its processes.',
      )
      .argument(
        '[folder|crawl]',
        'crawl folder (default: the only one here), or the name of a crawl of a coordinator',
      )
      .option('--json', 'the crawl as JSON, where a coordinator has it');
    addOptionalAt(command).action(async (named: string | undefined, options: RemoteOptions) => {
      if (await isRemote(context, named, options))
        return await steerRemote(context, name as SteeringVerb, { ...options, named });
      await steer(context, await findFolder(named, context.cwd), verb);
    });
  }
}

async function steer(
  { local, clock, terminal, cwd, launcher }: CliContext,
  folder: string,
  { state, done }: (typeof verbs)[keyof typeof verbs],
): Promise<void> {
  const shown = shownPath(folder, cwd);
  const { writeWanted } = await import('@webfarer/coordinator');
  if ((await look()) === undefined)
    throw new WebfarerError('not-found', `No crawl is running in ${shown}.`, {
      next:
        state === 'running'
          ? `Run the command that started it again; it resumes by itself. Where it stands:  ${launcher} status ${shown}`
          : `Where it stands:  ${launcher} status ${shown}`,
    });
  await writeWanted(folder, state);
  for (const end = clock.now() + PATIENCE_MS; clock.now() < end; ) {
    const now = await look();
    if (now === state || (state === 'stopped' && now === undefined))
      return terminal.out(`  ${done}: ${shown}\n`);
    await clock.sleep(LOOK_MS);
  }
  throw new WebfarerError(
    'storage',
    `The crawl in ${shown} has not ${done} within ${PATIENCE_MS / 1_000} s.`,
    {
      next: `It will as soon as it can. What it waits for:  ${launcher} status ${shown}`,
    },
  );

  /** Undefined where no process holds the folder. */
  async function look(): Promise<string | undefined> {
    const reader = await local.readFolder(folder);
    try {
      return reader.busy ? await reader.state() : undefined;
    } finally {
      await reader.close();
    }
  }
}
