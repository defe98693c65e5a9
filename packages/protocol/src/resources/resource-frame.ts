import { z } from 'zod';

/** What a machine and one process on it use at a moment. Rates and shares are over the time since the frame before. */
export interface ResourceFrame {
  cpu: {
    /** Busy share of each core of the machine, 0 to 1. */
    cores: number[];
    /** Cores that this process uses: 1.5 is one and a half. */
    process: number;
  };
  memory: {
    /** Of the machine. */
    totalBytes: number;
    availableBytes: number;
    /** Of this process. */
    rssBytes: number;
    heapBytes: number;
    heapLimitBytes: number;
  };
  /** The file systems of the folders in use. */
  disks: DiskUse[];
  /** All interfaces of the machine but loopback; absent where the system does not tell. */
  network?: { receivedBytesPerSecond: number; sentBytesPerSecond: number } | undefined;
  /** Sockets that this process has open. */
  connections: number;
  loop: {
    /** Share of the time in which the event loop had something to do, 0 to 1. */
    busy: number;
    /** How late the event loop ran what was due: on average, and at the longest. */
    delayMs: number;
    maxMs: number;
  };
  /** Requests in flight, and how many hosts are fetched from at most. */
  downloads: { now: number; most: number };
  queues: { [Name in QueueName]?: number | undefined };
}

export interface DiskUse {
  folder: string;
  totalBytes: number;
  freeBytes: number;
}

/** The closed table of queues. */
export const queueNames = {
  outbox: 'reports of a worker that no coordinator has acknowledged',
  pausing: 'hosts a worker holds that wait for their next request',
  held: 'hosts that workers hold',
  ready: 'hosts with URLs in the queue of a running crawl',
} as const;

export type QueueName = keyof typeof queueNames;

/** What a probe sees by itself; the rest is known to the part that runs it. */
export type MachineLook = Omit<ResourceFrame, 'downloads' | 'queues'>;

/** Looks at the machine and at the process it runs in. */
export interface ResourceProbe {
  look(): MachineLook;
  stop(): void;
}

/** Bounds of a frame that arrives from another machine. */
export const resourceBounds = { cores: 1_024, disks: 16, folder: 4_096, number: 2 ** 53 } as const;

const amount = z.number().min(0).max(resourceBounds.number);
const share = z.number().min(0).max(1);

const queues = Object.fromEntries(Object.keys(queueNames).map((name) => [name, amount.optional()])) as Record<
  QueueName,
  z.ZodOptional<typeof amount>
>;

export const resourceFrame = z.object({
  cpu: z.object({ cores: z.array(share).max(resourceBounds.cores), process: amount }),
  memory: z.object({
    totalBytes: amount,
    availableBytes: amount,
    rssBytes: amount,
    heapBytes: amount,
    heapLimitBytes: amount,
  }),
  disks: z
    .array(
      z.object({
        folder: z.string().max(resourceBounds.folder),
        totalBytes: amount,
        freeBytes: amount,
      }),
    )
    .max(resourceBounds.disks),
  network: z.object({ receivedBytesPerSecond: amount, sentBytesPerSecond: amount }).optional(),
  connections: amount,
  loop: z.object({ busy: share, delayMs: amount, maxMs: amount }),
  downloads: z.object({ now: amount, most: amount }),
  queues: z.object(queues),
});
