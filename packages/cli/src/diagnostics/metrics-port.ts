import { isLoopback, parseListen, urlOf } from '@webfarer/coordinator/api/http/listen-address';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { CliContext } from '../context/context.ts';

export interface MetricsPortOptions {
  /** As typed after --metrics; undefined: no port. */
  address: string | undefined;
  metrics: Metrics;
  json: boolean;
  quiet: boolean;
}

/** Opens the port of --metrics and says where it is. Answers a function that closes it. */
export async function openMetricsPort(
  { terminal }: Pick<CliContext, 'terminal'>,
  { address, metrics, json, quiet }: MetricsPortOptions,
): Promise<() => Promise<void>> {
  if (address === undefined) return () => Promise.resolve();
  const { openMetricsServer } = await import('@webfarer/coordinator/server');
  const server = await openMetricsServer(parseListen(address, '--metrics'), metrics);
  const url = `${urlOf(server.address)}/metrics`;
  if (json) terminal.out(jsonLine({ type: 'metrics', url }));
  else if (!quiet) terminal.out(`  metrics:  ${url}\n`);
  if (!json && !isLoopback(server.address.host))
    terminal.err('  ! Everyone who reaches this address can read the metrics, with the names of crawls.\n');
  return () => server.stop();
}
