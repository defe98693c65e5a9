import { resolve } from 'node:path';
import type { ProcessLog } from '@webfarer/coordinator';
import { createMetrics, type Metrics } from '@webfarer/protocol/metrics';
import { reportProcess } from '@webfarer/protocol/node';
import type { Tracing } from '@webfarer/worker';
import type { CliContext } from '../context/context.ts';
import type { DiagnosticsOptions } from './diagnostics-options.ts';
import { logTarget } from './log-target.ts';
import { openMetricsPort } from './metrics-port.ts';

export interface DiagnosedProcess {
  role: 'coordinator' | 'worker' | 'crawl';
  /** Whose disk must not run full. */
  folder: string;
  json: boolean;
  quiet: boolean;
}

/** What looks into a process while it runs. */
export interface Diagnostics {
  metrics: Metrics;
  /** Undefined: nobody traces. */
  tracing: Tracing | undefined;
  /** Undefined: only what is always logged. */
  log: ProcessLog | undefined;
  stop(): Promise<void>;
}

/** Opens what the options ask for. Without any of them it costs nothing. */
export async function openDiagnostics(
  context: CliContext,
  options: DiagnosticsOptions,
  { role, folder, json, quiet }: DiagnosedProcess,
): Promise<Diagnostics> {
  const { clock, version } = context;
  const metrics = createMetrics({ clock });
  const log = logTarget(context, options);
  const ends: (() => void | Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const tracing = options.trace ? await tracingOf(version) : undefined;
    if (tracing) ends.push(() => tracing.flush());
    ends.push(await openMetricsPort(context, { address: options.metrics, metrics, json, quiet }));
    // A coordinator reports its process itself, with or without this port.
    if (options.metrics !== undefined && role !== 'coordinator')
      ends.push(reportProcess({ metrics, clock, version, role, folder }));
    if (options.profile !== undefined) {
      const { startProfile } = await import('./profile.ts');
      const place = options.profile === true ? './webfarer-profile' : options.profile;
      const profile = await startProfile(context, { folder: resolve(context.cwd, place), name: role });
      ends.push(() => profile.stop());
    }
    return { metrics, tracing, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function tracingOf(version: string): Promise<Tracing> {
  const { openTracing } = await import('@webfarer/worker');
  return await openTracing(version);
}
