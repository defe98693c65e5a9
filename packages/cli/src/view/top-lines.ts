import type { MachineFrame, NetworkStatus, WorkerStatus } from '@webfarer/coordinator';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { bytes, count, longSpan, plural, rate } from '../terminal/format.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { displayWidth, painter, type Paint } from '../terminal/text.ts';
import { coordinatorLine, crawlLines, peerLines, workerNote } from './network-lines.ts';
import { coreBlocks, cpuWords, diskWords, loopWords, machinePhrases } from './resource-words.ts';

export interface TopSize {
  columns: number;
  rows: number;
  colour: boolean;
}

/** A worker, and what its machine uses where that is known. */
interface Row extends WorkerStatus {
  frame: ResourceFrame | undefined;
}

const byFrame = (words: (frame: ResourceFrame) => string) => (row: Row) =>
  row.frame ? words(row.frame) : '';

/** In the order in which they are shown; `rank`: which ones a narrow terminal can do without, the highest first. */
const columns: (Column<Row> & { rank: number })[] = [
  { rank: 0, title: 'worker', value: ({ worker }) => worker, wide: true },
  { rank: 6, title: 'from', value: ({ address }) => address, wide: true },
  { rank: 0, title: 'pages/s', value: ({ pagesPerSecond }) => rate(pagesPerSecond), right: true },
  {
    rank: 1,
    title: 'hosts',
    value: ({ held, connections }) => `${count(held)}/${count(connections)}`,
    right: true,
  },
  { rank: 3, title: 'in flight', value: byFrame(({ downloads }) => count(downloads.now)), right: true },
  { rank: 0, title: 'cpu', value: byFrame(cpuWords), right: true, least: 4 },
  { rank: 7, title: 'cores', value: byFrame(({ cpu }) => coreBlocks(cpu.cores)) },
  { rank: 4, title: 'process', value: byFrame(({ cpu }) => cpu.process.toFixed(2)), right: true },
  { rank: 1, title: 'rss', value: byFrame(({ memory }) => bytes(memory.rssBytes)), right: true, least: 6 },
  { rank: 8, title: 'heap', value: byFrame(({ memory }) => bytes(memory.heapBytes)), right: true, least: 6 },
  { rank: 2, title: 'disk free', value: byFrame(diskWords), right: true },
  {
    rank: 2,
    title: 'net in',
    value: byFrame(({ network }) => (network ? `${bytes(network.receivedBytesPerSecond)}/s` : '')),
    right: true,
    least: 8,
  },
  { rank: 1, title: 'loop', value: byFrame(loopWords), right: true, least: 6 },
  { rank: 5, title: 'sockets', value: byFrame(({ connections }) => count(connections)), right: true },
  { rank: 9, title: 'connected', value: ({ linkedMs }) => longSpan(linkedMs), right: true },
  { rank: 1, title: '', value: workerNote },
];

/** The network and its machines in as many lines as the terminal has. */
export function topLines(status: NetworkStatus, machines: readonly MachineFrame[], size: TopSize): string[] {
  const paint = painter(size.colour);
  const { coordinator, crawls, workers, peers } = status;
  const ownFrame = machines.find(({ kind, id }) => kind === 'coordinator' && id === coordinator.id);
  // On a small screen the workers matter more than the last figures of this machine.
  const most = Math.max(1, Math.floor(size.rows / 6));
  const own = ownFrame ? phraseLines(ownFrame.frame, size.columns).slice(0, most) : [];
  const head = [coordinatorLine(coordinator, paint), ...own];
  const crawlParts = crawls.flatMap((crawl) => crawlLines(crawl, size.columns, paint));
  const rest = peerLines(peers, coordinator.id, { columns: size.columns, paint });
  const middle = crawlParts.length > 0 ? crawlParts : ['  no crawl'];
  // Workers get what the others leave, at least their number and the first one.
  const room = Math.max(4, size.rows - head.length - middle.length - rest.length);
  const table = workerTable(workers, machines, { ...size, rows: room, paint });
  return [...head, ...middle, ...table, ...rest].slice(0, size.rows);
}

function workerTable(
  workers: readonly WorkerStatus[],
  machines: readonly MachineFrame[],
  size: { columns: number; rows: number; paint: Paint },
): string[] {
  if (workers.length === 0) return ['  no worker is connected'];
  const frames = new Map(
    machines.filter(({ kind }) => kind === 'worker').map(({ id, frame }) => [id, frame]),
  );
  const busiest: Row[] = workers
    .toSorted((a, b) => b.pagesPerSecond - a.pagesPerSecond || (a.worker < b.worker ? -1 : 1))
    .map((worker) => ({ ...worker, frame: frames.get(worker.worker) }));
  // A title of its own and that of the columns.
  const fits = busiest.length <= size.rows - 2;
  const shown = fits ? busiest : busiest.slice(0, Math.max(1, size.rows - 3));
  const more = fits ? [] : [`  … and ${count(busiest.length - shown.length)} more`];
  return [
    `  ${plural(workers.length, 'worker')}`,
    ...tableLines(shown, columnsFor(shown, size.columns), size),
    ...more,
  ];
}

/** Leaves out columns that say nothing, then those that there is no room for. */
function columnsFor(rows: readonly Row[], room: number): Column<Row>[] {
  let chosen = columns.filter(({ value }) => rows.some((row) => value(row) !== ''));
  while (chosen.length > 1 && needed(rows, chosen) > room) {
    const worst = Math.max(...chosen.map(({ rank }) => rank));
    if (worst === 0) break;
    const at = chosen.findLastIndex(({ rank }) => rank === worst);
    chosen = chosen.filter((_, i) => i !== at);
  }
  return chosen;
}

/** An id or an address can be cut. */
const WIDE = 12;

function needed(rows: readonly Row[], chosen: readonly Column<Row>[]): number {
  const widths = chosen.map(({ title, value, least = 0, wide }) => {
    const natural = Math.max(least, displayWidth(title), ...rows.map((row) => displayWidth(value(row))));
    return wide ? Math.min(WIDE, natural) : natural;
  });
  return 2 + widths.reduce((sum, width) => sum + width, 0) + 2 * (widths.length - 1);
}

/** Phrases that belong together are not torn apart. */
function phraseLines(frame: ResourceFrame, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const phrase of machinePhrases(frame)) {
    const longer = line === '' ? `  ${phrase}` : `${line}   ${phrase}`;
    if (line !== '' && displayWidth(longer) > room) {
      lines.push(line);
      line = `  ${phrase}`;
    } else line = longer;
  }
  return [...lines, line];
}

/** One machine a line, for output that is not a terminal. */
export function plainTopLines(
  status: NetworkStatus,
  machines: readonly MachineFrame[],
  atMs: number,
): string[] {
  const at = new Date(atMs).toISOString().slice(0, 19);
  const crawls = status.crawls.map(
    ({ name, state, pagesPerSecond, balance }) =>
      `${at}Z  crawl ${name}  ${state}  ${rate(pagesPerSecond)} pages/s  ${count(balance.queued)} queued`,
  );
  const lines = machines.map(
    ({ kind, id, frame }) => `${at}Z  ${kind} ${id}  ${machinePhrases(frame).join('  ')}`,
  );
  return [...crawls, ...lines];
}
