import type { Clock } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';

type Labels = Readonly<Record<string, string>>;

/** What a worker process counted since it last said so, and what it uses. */
export interface ProcessNews {
  /** Label values whose counts began anew before the rest of this. */
  forgotten: [label: string, value: string][];
  counted: [name: string, labels: Labels, by: number][];
  observed: [name: string, labels: Labels, values: number[]][];
  cpuSeconds: number;
  memoryBytes: number;
}

export interface ForwardedMetrics {
  metrics: Metrics;
  /** Sends the rest. Nothing is counted after that. */
  stop(): Promise<void>;
}

const FLUSH_MS = 1_000;

/**
 * Metrics of a process that nobody scrapes: what is counted in it goes to its parent once a second, which reports it. What
 * is read at the moment of a scrape the parent knows itself.
 */
export function forwardMetrics(options: {
  clock: Clock;
  send: (news: ProcessNews) => Promise<void>;
}): ForwardedMetrics {
  const { clock, send } = options;
  const over = new AbortController();
  let forgotten: ProcessNews['forgotten'] = [];
  const counted = new Map<string, ProcessNews['counted'][number]>();
  const observed = new Map<string, ProcessNews['observed'][number]>();

  async function flush(): Promise<void> {
    const { user, system } = process.cpuUsage();
    const news = {
      forgotten,
      counted: [...counted.values()],
      observed: [...observed.values()],
      cpuSeconds: (user + system) / 1e6,
      memoryBytes: process.memoryUsage.rss(),
    };
    forgotten = [];
    counted.clear();
    observed.clear();
    await send(news);
  }

  const metrics: Metrics = {
    count(name, labels, by = 1) {
      const key = keyOf(name, labels);
      const known = counted.get(key);
      if (known) known[2] += by;
      else counted.set(key, [name, labels, by]);
    },
    observe(name, labels, value) {
      const key = keyOf(name, labels);
      const known = observed.get(key);
      if (known) known[2].push(value);
      else observed.set(key, [name, labels, [value]]);
    },
    collect: () => () => undefined,
    forget(label, value) {
      // What was counted under it before goes first.
      void flush();
      forgotten.push([label, value]);
    },
    scrape: () => Promise.resolve(''),
  };

  const flushing = (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(FLUSH_MS, over.signal).catch(() => undefined);
      await flush();
    }
  })();

  return {
    metrics,
    async stop() {
      over.abort();
      await flushing;
    },
  };
}

function keyOf(name: string, labels: Labels): string {
  return `${name} ${Object.values(labels).join('\u0000')}`;
}
