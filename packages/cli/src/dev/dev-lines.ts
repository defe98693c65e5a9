import type { CrawlSnapshot } from '@webfarer/protocol';
import { count, plural, rate, stopwatch } from '../view/format.ts';
import { balanceLines } from '../view/summary.ts';
import { tableLines } from '../view/table.ts';
import { clean, painter } from '../view/text.ts';
import { waitingFor } from '../wording.ts';
import type { DevLook, DevMember } from './dev-network.ts';

/** The network on one screen: the crawl, then every process under the key that kills it. */
export function devLines(
  members: readonly DevMember[],
  look: DevLook,
  size: { columns: number; colour: boolean; keys: boolean },
): string[] {
  const paint = painter(size.colour);
  const rows = members.map((member, i) => ({ key: i < 9 ? String(i + 1) : '', member }));
  const crawl = newest(look);
  return [
    ...(crawl ? crawlLines(crawl, look, size) : ['  no coordinator answers at the moment']),
    '',
    ...tableLines(
      rows,
      [
        ...(size.keys ? [{ title: 'key', value: ({ key }: { key: string }) => key }] : []),
        { title: 'process', value: ({ member }) => member.process.name },
        { title: 'pid', value: ({ member }) => String(member.process.pid ?? ''), right: true },
        { title: 'lives', value: ({ member }) => count(member.process.lives), right: true },
        { title: 'is', value: ({ member }) => stateOf(member, look), wide: true, cut: 'end' as const },
        { title: 'hosts', value: ({ member }) => heldBy(member, look), right: true },
        {
          title: 'pages',
          value: ({ member }) => figure(look, member, ({ pages }) => count(pages)),
          right: true,
        },
        {
          title: 'pages/s',
          value: ({ member }) => figure(look, member, ({ pagesPerSecond }) => rate(pagesPerSecond)),
          right: true,
        },
      ],
      { columns: size.columns, paint },
    ),
    ...(size.keys
      ? ['', paint('quiet', '  1–9 kill one (it starts again)   k any   f freeze or thaw any   q quit')]
      : []),
  ];
}

/** One line for a log. */
export function devLine(members: readonly DevMember[], look: DevLook): string {
  const crawl = newest(look);
  const running = members.filter(({ process }) => process.state === 'running').length;
  const processes = `${running} of ${plural(members.length, 'process', 'processes')} running`;
  if (!crawl) return `  no coordinator answers   ${processes}`;
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
    ...(waiting === undefined ? [] : [`  waiting for ${waiting}`]),
  ];
}

/** Coordinators may be a moment apart: the one that knows most is shown. */
function newest({ coordinators }: DevLook): CrawlSnapshot | undefined {
  const all = [...coordinators.values()].flatMap(({ crawls }) => crawls.slice(0, 1));
  const settled = ({ balance: b }: CrawlSnapshot) => b.known + b.done + b.failed + b.refused;
  return all.toSorted((a, b) => settled(b) - settled(a))[0];
}

function stateOf(member: DevMember, look: DevLook): string {
  const { process, role } = member;
  if (process.state !== 'running') return process.state;
  if (role === 'coordinator') {
    const status = look.coordinators.get(member);
    return status ? `serving ${plural(status.workers.length, 'worker')}` : 'starting';
  }
  const linked = look.workers.get(member);
  return linked ? `linked to ${linked.at.process.name}` : 'looking for a coordinator';
}

function heldBy(member: DevMember, look: DevLook): string {
  if (member.role === 'worker') return figure(look, member, ({ held }) => count(held));
  const status = look.coordinators.get(member);
  return status ? count(status.workers.reduce((sum, { held }) => sum + held, 0)) : '';
}

function figure(
  look: DevLook,
  member: DevMember,
  of: (status: { held: number; pages: number; pagesPerSecond: number }) => string,
): string {
  const linked = look.workers.get(member);
  return linked ? of(linked.status) : '';
}
