import type { HostKey, HostPace, Job, RefusedReason } from '@webfarer/protocol';
import { defaultTeam, type JobPace, paceChooser, shortestGapMs } from '@webfarer/protocol/job';
import type { HostRules } from './host-rules.ts';

/** How a host is treated in one crawl, by the rules for all crawls, those of its team, and its job. */
export type Treatment =
  | { kind: 'refuse'; reason: Extract<RefusedReason, 'blocked' | 'opt-out'>; detail: string }
  | { kind: 'pace'; pace: HostPace };

export interface HostRuling {
  /** No host is treated otherwise than the job says for all. */
  isIdle(): boolean;
  /** Undefined: as the job says for all hosts. */
  of(host: HostKey): Treatment | undefined;
}

/**
 * Opt-outs come before blocks, blocks before pauses, and of several pauses the longest is kept. What robots.txt asks for
 * is known to the worker, which keeps that too.
 */
export function hostRuling(rules: HostRules, job: () => Job): HostRuling {
  let paces: { job: Job; of: (host: HostKey) => JobPace; shortestMs: number } | undefined;

  const team = () => job().team ?? defaultTeam;

  return {
    isIdle: () => rules.isEmpty(team()) && job().politeness.hosts.length === 0,
    of(host) {
      const ruling = rules.of(host, team());
      const current = job();
      if (!ruling && current.politeness.hosts.length === 0) return undefined;
      if (ruling?.kind === 'refuse') return { kind: 'refuse', reason: ruling.reason, detail: ruling.rule };
      if (paces?.job !== current)
        paces = { job: current, of: paceChooser(current), shortestMs: shortestGapMs(current) };
      const own = paces.of(host);
      if (own.block)
        return { kind: 'refuse', reason: 'blocked', detail: `politeness.hosts of the job: ${own.match}` };
      // The frontier keeps the shortest pause of the job; whoever is owed more is told so.
      if (!ruling && own.match === undefined && own.gapMs <= paces.shortestMs) return undefined;
      const { gapMs, connections } = own;
      if (!ruling || ruling.gapMs <= gapMs) return { kind: 'pace', pace: { gapMs, connections } };
      return { kind: 'pace', pace: { gapMs: ruling.gapMs, connections, rule: ruling.rule } };
    },
  };
}
