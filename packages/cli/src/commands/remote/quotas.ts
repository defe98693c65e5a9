import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { bytes, count } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { addAt, asking, reach, type RemoteOptions } from './remote.ts';

type Team = Awaited<ReturnType<CoordinatorAt['api']['getTeam']>>;

interface Row {
  quota: string;
  used: string;
  most: string;
  isSpent: boolean;
}

const quotas = [
  ['open crawls', 'crawls', 'crawls', count],
  ['their seeds', 'seedBytes', 'seedBytes', bytes],
  ['pages today', 'pagesPerDay', 'pagesToday', count],
  ['pages this month', 'pagesPerMonth', 'pagesThisMonth', count],
  ['bytes today', 'bytesPerDay', 'bytesToday', bytes],
  ['bytes this month', 'bytesPerMonth', 'bytesThisMonth', bytes],
] as const;

export function addQuotasCommand({ program, context }: CommandHome): void {
  const command = program
    .command('quotas')
    .description('Shows the quotas of a team that are in force, and what its crawls have used of them.')
    .argument('[team]', 'the team (default: your own); others are shown to admins')
    .option('--json', 'the team as JSON');
  addAt(command).action(async (team: string | undefined, options: RemoteOptions) => {
    await show(context, team, options);
  });
}

async function show(context: CliContext, named: string | undefined, options: RemoteOptions): Promise<void> {
  const { terminal } = context;
  const at = await reach(context, options);
  const name = named ?? (await asking(context, at, at.api.getOwnToken())).team;
  const team = await asking(context, at, at.api.getTeam({ params: { team: name } }));
  if (options.json) return terminal.out(jsonLine(team));
  terminal.out(`  ${clean(team.name)}${team.version === 0 ? ': the defaults of a team' : ''}\n`);
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  for (const line of tableLines(rowsOf(team), columns, size)) terminal.out(`${line}\n`);
}

function rowsOf({ inForce, used }: Team): Row[] {
  return quotas.map(([quota, limit, use, shown]) => {
    const [most, amount] = [inForce[limit], used[use]];
    return {
      quota,
      used: amount === undefined ? 'not counted' : shown(amount),
      most: most === undefined ? 'none' : shown(most),
      isSpent: most !== undefined && amount !== undefined && amount >= most,
    };
  });
}

const columns: Column<Row>[] = [
  { title: 'quota', value: ({ quota }) => quota },
  {
    title: 'used',
    value: ({ used }) => used,
    right: true,
    style: ({ isSpent }) => (isSpent ? 'bad' : 'plain'),
  },
  { title: 'most', value: ({ most }) => most, right: true },
];
