import type { Random } from '../fuzz/random.ts';

/** The settings that a trial edits, as the job has them. */
export interface EditedSettings {
  'politeness.gap': string;
  'scope.exclude': { regex: string }[];
  'limits.depth': number | 'none';
  'limits.pages': number | 'none';
  'limits.bytes': string;
}
export type SettingName = keyof EditedSettings;

export interface SettingEdit {
  field: SettingName;
  from: unknown;
  to: unknown;
}

/** URLs of the fake web that a trial leaves out for a while: sections, every second page, lists of pages. */
const excludes: { regex: string }[][] = [
  [],
  [{ regex: '/s0/' }],
  [{ regex: '/s1/' }, { regex: '/index/1$' }],
  [{ regex: '[02468](\\.html?|/)?$' }],
  [{ regex: '[13579](\\.html?|/)?$' }],
  [{ regex: '/s[0-9]/' }],
];

export function initialSettings(gapsMs: readonly number[]): EditedSettings {
  return {
    'politeness.gap': `${gapsMs[0]}ms`,
    'scope.exclude': [],
    'limits.depth': 'none',
    'limits.pages': 'none',
    'limits.bytes': 'none',
  };
}

/** One setting that gets another value. Scopes come as often as all others together: they are what may lose URLs. */
export function randomEdit(now: EditedSettings, gapsMs: readonly number[], random: Random): SettingEdit {
  const values: { [Name in SettingName]: () => EditedSettings[Name] } = {
    'politeness.gap': () => `${random.pick(gapsMs)}ms`,
    'scope.exclude': () => random.pick(excludes),
    'limits.depth': () => random.pick([1, 2, 'none'] as const),
    // Far above what the crawl needs: reaching one would end it.
    'limits.pages': () => 100_000 + random.below(1_000),
    'limits.bytes': () => `${1_000 + random.below(1_000)}MB`,
  };
  for (;;) {
    const field = random.pick([
      'scope.exclude',
      'scope.exclude',
      'limits.depth',
      'politeness.gap',
      'politeness.gap',
      'limits.pages',
      'limits.bytes',
    ] as const);
    const to = values[field]();
    if (JSON.stringify(to) !== JSON.stringify(now[field])) return { field, from: now[field], to };
  }
}

/** The edit as a merge patch of the job. */
export function patchOf(edits: readonly SettingEdit[]): Record<string, Record<string, unknown>> {
  const patch: Record<string, Record<string, unknown>> = {};
  for (const { field, to } of edits) {
    const [group = '', name = ''] = field.split('.');
    patch[group] = { ...patch[group], [name]: to };
  }
  return patch;
}

/** The settings that hold from a moment on. */
export interface Phase {
  /** It was asked for, and may be in force. */
  fromNs: number;
  /** It was acknowledged. */
  ackedNs: number;
  settings: EditedSettings;
}

/** Phases of which some part lies within the time before a moment: what a worker may still go by. */
export function phasesBefore(phases: readonly Phase[], atNs: number, windowNs: number): Phase[] {
  return phases.filter(
    ({ fromNs }, n) =>
      fromNs <= atNs && (phases[n + 1]?.ackedNs ?? Number.POSITIVE_INFINITY) >= atNs - windowNs,
  );
}

export function isExcluded(url: string, { settings }: Phase): boolean {
  return settings['scope.exclude'].some(({ regex }) => new RegExp(regex).test(url));
}

export function gapOf({ settings }: Phase): number {
  return Number.parseInt(settings['politeness.gap'], 10);
}
