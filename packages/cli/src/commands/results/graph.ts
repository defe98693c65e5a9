import { levels } from '@webfarer/graph';
import { Option } from 'commander';
import { type DepsOptions, showDependencies } from './graph-deps.ts';
import { type ExploreOptions, explore } from './graph-explore.ts';
import { type GraphStatsOptions, showGraphStats } from './graph-stats.ts';
import type { CommandHome } from '../home.ts';

export function addGraphCommand({ program, context }: CommandHome): void {
  const graph = program
    .command('graph')
    .description(
      'Writes a page to explore the links of a crawl and opens it. The subcommands compute more, offline.',
    )
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--no-open', 'only write the page')
    .action((named: string | undefined, options: ExploreOptions) => explore(context, named, options))
    .helpCommand(false);
  graph
    .command('deps')
    .description('share of a site’s outgoing navigation that reaches each target (docs/dependency.md)')
    .argument('[folder-or-db]', 'crawl folder (default: the only one here), or a database of dependencies')
    .addOption(
      new Option('--level <level>', 'level of the targets: sites, hosts or pages')
        .choices(levels)
        .default('site'),
    )
    .option('--from <name>', 'only what this site, host or job depends on')
    .option('--to <name>', 'only who depends on this site, host or page')
    .option('--targets', 'rank targets by what depends on them, over all sources')
    .option('--threshold <share>', 'leave out smaller shares (0.001)')
    .option('--db <file>', 'merge into this database (dependencies.sqlite in the folder)')
    .option('--cpu-share <percent>', 'CPU limit, in percent of one core, for example 25')
    .option('--limit <n>', 'lines (50)')
    .option('--json', 'as JSON lines')
    .action((named: string | undefined, options: DepsOptions) => showDependencies(context, named, options));
  graph
    .command('stats')
    .description('hosts or sites and the links between them: shape, centrality, degrees')
    .argument('[folder...]', 'crawl folders, combined (default: the only one here), or a graph file')
    .addOption(new Option('--level <level>', 'what is a node (host)').choices(['host', 'site']))
    .option('--into <file>', 'merge these crawls into a graph file, and show that')
    .option('--limit <n>', 'lines (20)')
    .option('--json', 'as JSON lines, all nodes')
    .action((named: string[], options: GraphStatsOptions) => showGraphStats(context, named, options));
}
