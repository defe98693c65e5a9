import type { CrawlSnapshot } from '@webfarer/protocol';
import { count, plural, rate, stopwatch } from '../terminal/format.ts';
import { balanceLines } from '../view/summary.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { clean, type Paint, painter } from '../terminal/text.ts';
import { waitingFor } from '../view/wording.ts';
import type { DevLook, DevMember } from './dev-network.ts';
import { type DevRow, devRows } from './dev-rows.ts';

/** The network on one screen: the crawl, then every process under the key that kills it. */
export function devLines(
  members: readonly DevMember[],
  look: DevLook,
  size: { columns: number; colour: boolean; keys: boolean },
): string[] {
  const paint = painter(size.colour);
  const rows = devRows(members, look);
  const crawl = newest(look);
  return [
    '',
    ...(crawl ? crawlLines(crawl, look, size) : ['  no coordinator responds', '', '']),
    `  ${running(rows, paint)}`,
    '',
    ...tableLines(rows, tableColumns(look, size.keys), { columns: size.columns, paint }),
    ...(size.keys ? ['', paint('quiet', keyLine(rows))] : []),
  ];
}

function tableColumns(look: DevLook, keys: boolean): Column<DevRow>[] {
  return [
    ...(keys ? [{ title: 'key', value: ({ key }: DevRow) => key }] : []),
    { title: 'process', value: ({ process }) => process.name, style: ({ style }) => style },
    { title: 'pid', value: ({ process }) => String(process.pid ?? ''), right: true, least: 7 },
    { title: 'lives', value: ({ process }) => count(process.lives), right: true },
    { title: 'is', value: ({ is }) => is, wide: true, cut: 'end', least: 25, style: ({ style }) => style },
    { title: 'hosts', value: ({ of }) => heldBy(of, look), right: true },
    {
      title: 'pages',
      value: ({ of }) => figure(look, of, ({ pages }) => count(pages)),
      right: true,
      least: 6,
    },
    {
      title: 'pages/s',
      value: ({ of }) => figure(look, of, ({ pagesPerSecond }) => rate(pagesPerSecond)),
      right: true,
    },
  ];
}

function keyLine(rows: readonly DevRow[]): string {
  const last = rows.findLast(({ key }) => key !== '')?.key ?? '1';
  const all = /\d/.test(last) ? `1–${last}` : `1–9, a–${last}`;
  return `  ${all} kill one (it restarts)   f and its key freeze or thaw it   k kill any   q quit`;
}

/** How many of each kind play their part: `2 of 2 coordinators   3 of 4 workers`. */
function running(rows: readonly DevRow[], paint: Paint): string {
  const kinds = [
    ['coordinator', 'coordinators'],
    ['worker', 'workers'],
    ['store', 'servers of the store'],
  ] as const;
  const parts = kinds.flatMap(([role, name]) => {
    const all = rows.filter(({ of }) => of.role === role);
    const well = all.filter((row) => row.well).length;
    const text = `${well} of ${all.length} ${name}`;
    return all.length === 0 ? [] : [well === all.length ? paint('good', text) : paint('warn', text)];
  });
  return parts.join('   ');
}

/** One line for a log. */
export function devLine(members: readonly DevMember[], look: DevLook): string {
  const crawl = newest(look);
  const running = members.filter(({ process }) => process.state === 'running').length;
  const processes = `${running} of ${plural(members.length, 'process', 'processes')} running`;
  if (!crawl) return `  no coordinator responds   ${processes}`;
  const { balance } = crawl;
  return `  ${stopwatch(crawl.elapsedMs)}  ${count(balance.done)} done of ${count(balance.known)} known   ${processes}`;
}

function crawlLines(
  crawl: CrawlSnapshot,
  look: DevLook,
  size: { columns: number; colour: boolean },
): string[] {
  const paint = painter(size.colour);
  let speed = 0;
  for (const { crawls } of look.coordinators.values()) speed += crawls[0]?.pagesPerSecond ?? 0;
  const waiting = waitingFor(crawl);
  return [
    `  ${paint('strong', clean(crawl.name))}   ${crawl.state}   ${stopwatch(crawl.elapsedMs)}   ${rate(speed)} pages/s`,
    ...balanceLines(crawl.balance, size.columns, paint),
    // Always a line, so that the table stays where it is.
    waiting === undefined ? '' : `  waiting for ${waiting}`,
  ];
}

/** Coordinators may be a moment apart: the one that knows most is shown. */
function newest({ coordinators }: DevLook): CrawlSnapshot | undefined {
  const all = [...coordinators.values()].flatMap(({ crawls }) => crawls.slice(0, 1));
  const settled = ({ balance: b }: CrawlSnapshot) => b.known + b.done + b.failed + b.refused;
  return all.toSorted((a, b) => settled(b) - settled(a))[0];
}

function heldBy(member: DevRow['of'], look: DevLook): string {
  if (member.role !== 'coordinator') return figure(look, member, ({ held }) => count(held));
  const status = look.coordinators.get(member);
  return status ? count(status.workers.reduce((sum, { held }) => sum + held, 0)) : '';
}

function figure(
  look: DevLook,
  member: DevRow['of'],
  of: (status: { held: number; pages: number; pagesPerSecond: number }) => string,
): string {
  const linked = member.role === 'worker' ? look.workers.get(member) : undefined;
  return linked ? of(linked.status) : '';
}
