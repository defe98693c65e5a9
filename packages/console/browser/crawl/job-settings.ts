import type { Job } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';

/** What the form shows of a job. An empty limit is none. */
export interface Settings {
  gapSeconds: number | '';
  pages: number | '';
  hours: number | '';
}

const hourMs = 3_600_000;

/** As they hold for a crawl: what its job says, and the defaults where it says nothing. Undefined: it cannot be read. */
export function settingsOf(job: Record<string, unknown>): Settings | undefined {
  try {
    const { politeness, limits }: Job = resolveJob(job as Parameters<typeof resolveJob>[0]);
    return {
      gapSeconds: politeness.gapMs / 1_000,
      pages: limits.pages ?? '',
      hours: limits.durationMs === undefined ? '' : Math.round((limits.durationMs / hourMs) * 100) / 100,
    };
  } catch {
    return undefined;
  }
}

/** What to change in the job so that it has the new settings, as a merge patch. Empty: nothing is different. */
export function changesBetween(before: Settings, after: Settings): Record<string, unknown> {
  const limits = {
    ...(before.pages === after.pages ? {} : { pages: orNone(after.pages) }),
    ...(before.hours === after.hours
      ? {}
      : { duration: after.hours === '' ? 'none' : `${Math.round(after.hours * 3_600)}s` }),
  };
  const isSlower = before.gapSeconds !== after.gapSeconds && after.gapSeconds !== '';
  return {
    ...(isSlower ? { politeness: { gap: `${Math.round(Number(after.gapSeconds) * 1_000)}ms` } } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

const orNone = (value: number | ''): number | 'none' => (value === '' ? 'none' : value);
