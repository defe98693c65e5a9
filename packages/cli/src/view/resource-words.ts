import type { ResourceFrame } from '@webfarer/protocol/resources';
import { bytes, count, plural } from '../terminal/format.ts';

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** More cores than this are only a pattern. */
const MOST_CORES = 32;

/** One block for each core, as high as the core is busy. */
export function coreBlocks(cores: readonly number[]): string {
  const shown = cores.slice(0, MOST_CORES).map((busy) => blocks[Math.min(7, Math.floor(busy * 8))] ?? '');
  return shown.join('') + (cores.length > MOST_CORES ? '…' : '');
}

export function cpuWords({ cpu: { cores } }: ResourceFrame): string {
  if (cores.length === 0) return '';
  return `${Math.round((cores.reduce((sum, busy) => sum + busy, 0) / cores.length) * 100)}%`;
}

/** The disk with the least room: that is the one that will stop the work. */
export function diskWords({ disks }: ResourceFrame): string {
  if (disks.length === 0) return '';
  return bytes(Math.min(...disks.map(({ freeBytes }) => freeBytes)));
}

export function loopWords({ loop }: ResourceFrame): string {
  return `${loop.delayMs < 9.95 ? loop.delayMs.toFixed(1) : count(loop.delayMs)} ms`;
}

/** One machine in a line or two, each part a phrase of its own. */
export function machinePhrases(frame: ResourceFrame): string[] {
  const { cpu, memory, network, downloads, queues, connections } = frame;
  return [
    `cpu ${cpuWords(frame)} ${coreBlocks(cpu.cores)}`.trim(),
    `process ${cpu.process.toFixed(2)} cores`,
    `rss ${bytes(memory.rssBytes)}`,
    `heap ${bytes(memory.heapBytes)}`,
    `memory ${bytes(memory.availableBytes)} of ${bytes(memory.totalBytes)} free`,
    ...(frame.disks.length > 0 ? [`disk ${diskWords(frame)} free`] : []),
    ...(network
      ? [`net ${bytes(network.receivedBytesPerSecond)}/s in, ${bytes(network.sentBytesPerSecond)}/s out`]
      : []),
    `loop ${loopWords(frame)}`,
    plural(connections, 'socket'),
    ...(downloads.most > 0 ? [`${count(downloads.now)} of ${count(downloads.most)} downloads`] : []),
    ...(queues.ready === undefined ? [] : [`${plural(queues.ready, 'host')} ready`]),
    ...(queues.held === undefined ? [] : [`${count(queues.held)} held`]),
    ...(queues.outbox ? [`${plural(queues.outbox, 'report')} waiting`] : []),
  ];
}
