import type { Clock, WorkerId } from '@webfarer/protocol';
import {
  createHistory,
  type HistoryAnswer,
  type HistoryQuestion,
  type ResourceFrame,
  type ResourceProbe,
} from '@webfarer/protocol/resources';

export interface ResourceMonitorOptions {
  /** Of this coordinator. */
  id: string;
  clock: Clock;
  /** Opened when it starts: a probe keeps the process alive. */
  openProbe: () => ResourceProbe;
  /** What only the coordinator knows of itself. */
  about: () => Pick<ResourceFrame, 'downloads' | 'queues'>;
  /** Of memory, for the history of all machines. */
  historyBytes?: number;
}

/** A coordinator or a worker: one process on one machine. */
export interface Machine {
  kind: 'coordinator' | 'worker';
  id: string;
}

export interface MachineFrame extends Machine {
  atMs: number;
  frame: ResourceFrame;
}

/** What this coordinator and its workers use, now and lately. */
export interface ResourceMonitor {
  start(): void;
  stop(): Promise<void>;
  /** How often a frame is made. */
  readonly everyMs: number;
  heard(worker: WorkerId, frame: ResourceFrame): void;
  /** It is not connected any more: its history stays, its last frame says nothing about now. */
  left(worker: WorkerId): void;
  /** The last frame of each, this coordinator first. */
  now(): MachineFrame[];
  history(machine: Machine, question: HistoryQuestion): HistoryAnswer;
  /** Whether anything is known of it, now or in its history. */
  knows(machine: Machine): boolean;
  onFrame(listener: (frame: MachineFrame) => void): () => void;
  /** Of memory that the history takes. */
  readonly bytes: number;
}

const EVERY_MS = 1_000;
/** The whole day of about 110 machines of 8 cores. */
const HISTORY_BYTES = 64 * 1_048_576;

export function createResourceMonitor(options: ResourceMonitorOptions): ResourceMonitor {
  const { id, clock } = options;
  const history = createHistory({ mostBytes: options.historyBytes ?? HISTORY_BYTES });
  const latest = new Map<string, MachineFrame>();
  const listeners = new Set<(frame: MachineFrame) => void>();
  const stopped = new AbortController();
  let running: Promise<void> | undefined;

  function take(machine: Machine, frame: ResourceFrame): void {
    const atMs = Math.round(clock.now());
    const one = { ...machine, atMs, frame };
    latest.set(keyOf(machine), one);
    history.add(keyOf(machine), atMs, frame);
    for (const listener of listeners) listener(one);
  }

  async function run(probe: ResourceProbe): Promise<void> {
    for (;;) {
      await clock.sleep(EVERY_MS, stopped.signal).catch(() => undefined);
      if (stopped.signal.aborted) return probe.stop();
      take({ kind: 'coordinator', id }, { ...probe.look(), ...options.about() });
    }
  }

  return {
    everyMs: EVERY_MS,
    start() {
      running ??= run(options.openProbe());
    },
    async stop() {
      stopped.abort();
      await running;
      listeners.clear();
    },
    heard: (worker, frame) => take({ kind: 'worker', id: worker }, frame),
    left: (worker) => void latest.delete(keyOf({ kind: 'worker', id: worker })),
    now: () => [...latest.values()].sort(byKindAndId),
    history: (machine, question) => history.read(keyOf(machine), question),
    knows: (machine) => latest.has(keyOf(machine)) || history.machines().includes(keyOf(machine)),
    onFrame(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get bytes() {
      return history.bytes;
    },
  };
}

function keyOf({ kind, id }: Machine): string {
  return `${kind} ${id}`;
}

function byKindAndId(a: Machine, b: Machine): number {
  return a.kind === b.kind ? (a.id < b.id ? -1 : 1) : a.kind < b.kind ? -1 : 1;
}
