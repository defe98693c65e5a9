import type { CliContext } from '../context/context.ts';
import { type CrawlPlan, runCrawl } from '../crawling/run-crawl.ts';
import type { DiagnosticsOptions } from './diagnostics-options.ts';
import { openDiagnostics } from './open-diagnostics.ts';

/** Runs a crawl with whatever looks into it. */
export async function runObserved(
  context: CliContext,
  plan: CrawlPlan,
  options: DiagnosticsOptions,
): Promise<number> {
  const { json, quiet, open } = plan;
  const { folder } = open;
  const diagnostics = await openDiagnostics(context, options, { role: 'crawl', folder, json, quiet });
  const metrics = options.metrics === undefined ? {} : { metrics: diagnostics.metrics };
  const tracing = diagnostics.tracing ? { tracing: diagnostics.tracing } : {};
  const log = diagnostics.log ? { log: diagnostics.log } : {};
  try {
    return await runCrawl(context, { ...plan, open: { ...open, ...metrics, ...tracing, ...log } });
  } finally {
    await diagnostics.stop();
  }
}
