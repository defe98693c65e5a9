import { randomUUID } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { shellWords } from '../../context/command-line.ts';
import type { CliContext } from '../../context/context.ts';
import { typedPrivate } from '../../job/crawl-options.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { clean } from '../../terminal/text.ts';
import { collect, type CommandHome } from '../home.ts';
import { readJobFile } from '../run.ts';
import { addAt, asking, reach, type RemoteOptions } from './remote.ts';

interface StartOptions extends RemoteOptions {
  name?: string;
  tag?: string[];
}

export function addStartCommand({ program, context }: CommandHome): void {
  const command = program
    .command('start')
    .description(
      'Creates a crawl at a coordinator from a job file or from seeds, and starts it. Files that the job names are looked for on the machines of the coordinator and of its workers.',
    )
    .argument('<job.yml|url...>', 'a job file, or where the crawl begins')
    .option(
      '--name <name>',
      'name of the crawl (default: the name in the job, or the host of the first seed)',
    )
    .option('--tag <tag>', 'tag to list it by; repeatable', collect)
    .option('--json', 'the crawl as JSON');
  addAt(command).action(
    async (words: string[], options: StartOptions) => await start(context, words, options),
  );
}

async function start(context: CliContext, words: string[], options: StartOptions): Promise<void> {
  const { terminal, launcher } = context;
  const job = named(await jobIn(words, context.cwd), options.name);
  const at = await reach(context, options);
  const crawl = await asking(context, at, create(context, at, { job, tags: options.tag ?? [] }));
  if (options.json) return terminal.out(jsonLine(crawl));
  const word = shellWords([crawl.name]);
  terminal.out(`  ${clean(crawl.name)}: ${crawl.state}\n`);
  terminal.out(`  follow it:  ${launcher} results ${word} --follow   all crawls:  ${launcher} ls\n`);
}

const TRIES = 3;
const BETWEEN_MS = 1_000;

/** A lost answer does not create a second crawl: the key of the request is the same at every try. */
async function create(
  { clock }: CliContext,
  { api }: CoordinatorAt,
  body: { job: Record<string, unknown>; tags: string[] },
) {
  const idempotencyKey = randomUUID();
  for (let tries = 1; ; tries++) {
    try {
      return await api.createCrawl({ body, idempotencyKey });
    } catch (error) {
      const isLost = error instanceof WebfarerError && ['link-lost', 'starting'].includes(error.code);
      if (!isLost || tries === TRIES) throw error;
      await clock.sleep(BETWEEN_MS);
    }
  }
}

/** Checked here as far as it can be, so that a mistake is shown with its line. */
export async function jobIn(words: readonly string[], cwd: string): Promise<Record<string, unknown>> {
  const [file = ''] = words;
  if (words.length > 1 || !/\.(ya?ml|json)$/i.test(file)) {
    const allowPrivate = typedPrivate(words);
    return { seeds: [...words], ...(allowPrivate.length > 0 ? { fetch: { allowPrivate } } : {}) };
  }
  return { ...(await readJobFile(file, cwd)).input };
}

function named(job: Record<string, unknown>, name: string | undefined): Record<string, unknown> {
  return name === undefined ? job : { ...job, name };
}
