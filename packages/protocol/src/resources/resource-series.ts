import type { QueueName, ResourceFrame } from './resource-frame.ts';

interface Series {
  meaning: string;
  of: (frame: ResourceFrame) => number | undefined;
  /** How the values of half a minute become one. */
  fold: 'mean' | 'max';
}

const mean = (meaning: string, of: Series['of']): Series => ({ meaning, of, fold: 'mean' });
const max = (meaning: string, of: Series['of']): Series => ({ meaning, of, fold: 'max' });
const queue = (name: QueueName, meaning: string) => mean(meaning, ({ queues }) => queues[name]);

/** What is kept of each frame, beside the cores and the disks. */
export const resourceSeries = {
  cpu: mean('busy share of all cores, 0 to 1', ({ cpu }) => average(cpu.cores)),
  process: mean('cores that the process uses', ({ cpu }) => cpu.process),
  availableBytes: mean('memory of the machine that is available', ({ memory }) => memory.availableBytes),
  rssBytes: mean('resident memory of the process', ({ memory }) => memory.rssBytes),
  heapBytes: mean('JavaScript heap in use', ({ memory }) => memory.heapBytes),
  receivedBytesPerSecond: mean('received by the machine', ({ network }) => network?.receivedBytesPerSecond),
  sentBytesPerSecond: mean('sent by the machine', ({ network }) => network?.sentBytesPerSecond),
  connections: mean('open sockets of the process', ({ connections }) => connections),
  loopBusy: mean('share of the time in which the event loop was busy', ({ loop }) => loop.busy),
  loopDelayMs: mean('mean event-loop delay', ({ loop }) => loop.delayMs),
  loopMaxMs: max('longest event-loop delay', ({ loop }) => loop.maxMs),
  downloads: mean('requests in flight', ({ downloads }) => downloads.now),
  downloadsMost: max('hosts that can be fetched from at once', ({ downloads }) => downloads.most),
  outbox: queue('outbox', 'reports that no coordinator has acknowledged'),
  pausing: queue('pausing', 'held hosts that wait for their next request'),
  held: queue('held', 'hosts held by workers'),
  ready: queue('ready', 'hosts with URLs in the queue'),
} as const satisfies Record<string, Series>;

export type SeriesName = keyof typeof resourceSeries;
export const seriesNames = Object.keys(resourceSeries) as SeriesName[];

function average(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
