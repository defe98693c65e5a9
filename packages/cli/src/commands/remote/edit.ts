import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { parseValue } from '@webfarer/protocol/job';
import type { CliContext } from '../../context/context.ts';
import { clean } from '../../terminal/text.ts';
import { collect, type CommandHome } from '../home.ts';
import { type Changes, type EditOptions, printChanges } from './edit-changes.ts';
import { addAt, asking, findCrawl, reach } from './remote.ts';

export function addEditCommand({ program, context }: CommandHome): void {
  const command = program
    .command('edit')
    .description(
      'Changes settings of a crawl while it runs, named as in a job file: one that runs in a folder of this machine, or one of a coordinator. They are in force within seconds, and kept.',
    )
    .argument(
      '<crawl>',
      'crawl folder; or the name of a crawl of a coordinator, or of a schedule: its latest run',
    )
    .option('--set <setting=value>', 'such as limits.pages=5000 or politeness.gap=2s; repeatable', collect)
    .option('--unset <setting>', 'back to its default, such as limits.depth; repeatable', collect)
    .option('--tag <tag>', 'in place of the tags it has; repeatable', collect)
    .option('--rescope', 'accept another scope: queued URLs outside it are refused')
    .option('--json', 'the crawl as JSON');
  addAt(command).action(async (crawl: string, options: EditOptions) => await edit(context, crawl, options));
}

async function edit(context: CliContext, named: string, options: EditOptions): Promise<void> {
  const changes = changesIn(options);
  const { tag: tags, rescope = false } = options;
  if (Object.keys(changes).length === 0 && tags === undefined)
    throw new WebfarerError('usage', 'There is nothing to change.', {
      next: 'For example --set limits.pages=5000, --unset limits.depth or --tag weekly',
    });
  const { findFolder, holdsCrawl } = await import('../../folder/folders.ts');
  const folder =
    options.at === undefined ? await findFolder(named, context.cwd).catch(() => undefined) : undefined;
  if (folder !== undefined && holdsCrawl(folder)) {
    const { editFolder } = await import('./edit-folder.ts');
    return await editFolder(context, folder, { ...options, changes, rescope });
  }
  const at = await reach(context, options);
  const { id, version, job: before } = await asking(context, at, findCrawl(context, at, named));
  const body = { changes, rescope, version, ...(tags ? { tags } : {}) };
  const after = await asking(context, at, at.api.editCrawl({ params: { crawl: id }, body }));
  if (options.json) return context.terminal.out(jsonLine(after));
  context.terminal.out(`  ${clean(after.name)}: ${after.state}\n`);
  printChanges(context, options, { before, after: after.job });
  if (tags) context.terminal.out(`    tags: ${tags.map(clean).join(', ')}\n`);
}

/** As a merge patch: `limits.pages=5` is `{limits: {pages: 5}}`, and what is unset is null. */
function changesIn({ set = [], unset = [] }: EditOptions): Changes {
  const changes: Changes = {};
  for (const text of set) {
    const [path = '', ...rest] = text.split('=');
    if (rest.length === 0 || path === '')
      throw new WebfarerError('usage', `--set ${text} is not a setting and a value.`, {
        next: 'Write --set limits.pages=5000',
      });
    put(changes, path, parseValue(rest.join('=')));
  }
  for (const path of unset) put(changes, path, null);
  return changes;
}

function put(changes: Changes, path: string, value: unknown): void {
  const steps = path.trim().split('.');
  const last = steps.pop() ?? '';
  if ([...steps, last].some((step) => !/^[A-Za-z]+$/.test(step)))
    throw new WebfarerError('usage', `${path} is not the name of a setting.`, {
      next: 'Write it as the job file nests it: limits.perHost.pages. docs/job-file.md lists all settings.',
    });
  let inner = changes;
  for (const step of steps) inner = (inner[step] ??= {}) as Changes;
  inner[last] = value;
}
