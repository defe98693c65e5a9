import { writtenAs } from '@webfarer/protocol/job';
import type { NewJobSearch } from './job-search.ts';
import { nextName } from './job-values.ts';

export function textForSeed({ seed, stay }: NewJobSearch): string {
  const scope = stay === undefined ? '' : writtenAs({ scope: { stay } });
  return seed === undefined ? '' : writtenAs({ seeds: [seed] }) + scope;
}

/** The job of a crawl, to be changed: with a name of its own, and without what the coordinator does not show. */
export function textOfJob(job: Readonly<Record<string, unknown>>, name: string): string {
  const { $schema: _schema, team: _team, name: _name, policy, ...rest } = job;
  const shown = withoutMasks({ ...rest, ...(typeof policy === 'string' ? { policy } : {}) });
  return writtenAs({ name: nextName(name), ...shown });
}

export const readOnlyText = (job: Readonly<Record<string, unknown>>): string => writtenAs(job);

const isMask = (value: unknown): boolean =>
  typeof value === 'string' && /^\*{3,}$|\/\/[^/@]*\*{3}[^/@]*@/.test(value);

/** What was masked would be sent as it is. */
function withoutMasks(job: Record<string, unknown>): Record<string, unknown> {
  const { fetch, ...rest } = job;
  if (typeof fetch !== 'object' || fetch === null) return job;
  const { headers, proxy, ...others } = fetch as Record<string, unknown>;
  const open = Object.entries((headers ?? {}) as Record<string, unknown>).filter(
    ([, value]) => !isMask(value),
  );
  const rules = Array.isArray(proxy) ? (proxy as { use?: unknown }[]).filter(({ use }) => !isMask(use)) : [];
  const kept = {
    ...others,
    ...(open.length > 0 ? { headers: Object.fromEntries(open) } : {}),
    ...(rules.length > 0 ? { proxy: rules } : {}),
  };
  return Object.keys(kept).length === 0 ? rest : { ...rest, fetch: kept };
}

/** Whether a job holds something that is not shown. */
export function hasMasks(job: unknown): boolean {
  if (typeof job !== 'object' || job === null) return isMask(job);
  return Object.values(job).some(hasMasks);
}
