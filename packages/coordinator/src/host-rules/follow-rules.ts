import type { CrawlId, Job } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import { type HostRules, settableRules, tablesOf } from './host-rules.ts';

/** The rules that the registry holds, in force as soon as this coordinator has heard of them. */
export async function followRules(watch: Pick<RegistryWatch, 'follow'>): Promise<HostRules> {
  const rules = settableRules();
  let isRead = false;
  const take = () => {
    if (isRead) rules.set(tablesOf({ rules: [...kept.docs.values()], optOuts: [...owners.docs.values()] }));
  };
  const kept = await watch.follow('host-rule', take);
  const owners = await watch.follow('opt-out', take);
  isRead = true;
  take();
  return rules;
}

/**
 * Workers stop before their next request and bring the hosts back, which are then given out under the new rules. Where a
 * team changed its own rules, only its crawls are disturbed.
 */
export function obeyRules(
  rules: Pick<HostRules, 'onChange'>,
  pool: Pick<WorkerPool, 'release' | 'releaseHosts' | 'wake'>,
  crawls: () => Iterable<{ id: CrawlId; job: Pick<Job, 'team'> }>,
): () => void {
  return rules.onChange(({ patterns, teams }) => {
    if (patterns.length > 0) pool.releaseHosts(patterns);
    if (teams.length > 0)
      for (const { id, job } of crawls()) if (teams.includes(job.team ?? defaultTeam)) pool.release(id);
    pool.wake();
  });
}
