import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import type { WantedState } from '@webfarer/coordinator';
import type { CommandHome } from '../home.ts';

const verbs = {
  pause: { state: 'paused', summary: 'pause a running crawl', done: 'paused' },
  resume: { state: 'running', summary: 'resume a paused crawl', done: 'resumed' },
  stop: { state: 'stopped', summary: 'stop a running crawl', done: 'stopped' },
} as const satisfies Record<string, { state: WantedState; summary: string; done: string }>;

/** A crawl obeys within a second; one whose store does not answer may take this long to be told. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 100;

/** Steers the crawl that runs in a folder of this machine: its own process, or a coordinator's. */
export function addSteeringCommands({ program, context }: CommandHome): void {
  for (const [name, verb] of Object.entries(verbs)) {
    program
      .command(name)
      .summary(`${verb.summary}, from another terminal`)
      .description(
        'Works on a crawl or coordinator that runs on this machine. For a crawl in a store, it applies to all of its processes.',
      )
      .argument(
        '[folder]',
        'crawl folder, or the --data folder of a coordinator (default: the only one here)',
      )
      .action(async (named: string | undefined) => {
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
