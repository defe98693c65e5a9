import type { MetricOf, Metrics } from '@webfarer/protocol/metrics';
import { type OpenWorkerLook, reportWorker } from '@webfarer/worker';
import type { ProcessNews } from './forwarded-metrics.ts';

/** Reports what several worker processes do as the work of one worker, and what each of them uses. */
export interface ProcessMetrics {
  heard(process: number, news: ProcessNews): void;
  /** It is gone: what it used is not used any more. */
  gone(process: number): void;
  end(): void;
}

export function reportProcesses(options: {
  metrics: Metrics;
  look: () => OpenWorkerLook;
  /** Of all processes together. */
  connections: number;
}): ProcessMetrics {
  const { metrics, look, connections } = options;
  const used = new Map<number, ProcessNews>();
  const worker = reportWorker({ metrics, look, connections });
  const end = metrics.collect((sample) => {
    for (const [n, { cpuSeconds, memoryBytes }] of used) {
      const process = String(n);
      sample('webfarer_worker_process_cpu_seconds_total', { process }, cpuSeconds);
      sample('webfarer_worker_process_memory_bytes', { process }, memoryBytes);
    }
  });

  return {
    heard(process, news) {
      used.set(process, news);
      for (const [label, value] of news.forgotten) metrics.forget(label, value);
      // Both processes are of one version, and so are their tables of metrics.
      for (const [name, labels, by] of news.counted)
        metrics.count(name as MetricOf<'counter'>, labels as never, by);
      for (const [name, labels, values] of news.observed)
        for (const value of values) metrics.observe(name as MetricOf<'histogram'>, labels as never, value);
    },
    gone: (process) => void used.delete(process),
    end() {
      end();
      worker.end();
    },
  };
}
