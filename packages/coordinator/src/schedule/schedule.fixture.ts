import { type Schedule, type ScheduleInput, scheduleSchema } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { RunLook, ScheduledRuns } from './runs.ts';
import type { ScheduleDoc } from './schedule-doc.ts';

export function someSchedule(change: Partial<ScheduleInput> = {}): Schedule {
  return scheduleSchema.parse({
    name: 'museums',
    when: { every: 1, unit: 'hours' },
    run: { job: { seeds: ['https://museum.test/'] } },
    ...change,
  });
}

/** Created at this time; its first instant is the anchor. */
export function someDoc(change: Partial<ScheduleInput>, atMs: number, anchorMs = atMs): ScheduleDoc {
  return {
    schedule: someSchedule(change),
    team: defaultTeam,
    powers: 'operator',
    createdAtMs: atMs,
    revision: 1,
    anchorMs,
    state: { markMs: atMs - 1, count: 0, waiting: [], history: [] },
  };
}

type SmallRegistry = Pick<Registry, 'get' | 'list' | 'put' | 'remove' | 'changes'>;

/** One store that any number of engines share, with a clock of its own. */
export function memoryRegistry(nowMs: () => number): SmallRegistry & { value(id: string): ScheduleDoc } {
  const docs = new Map<string, RegistryDoc>();
  const log: { kind: 'schedule'; id: string }[] = [];
  let version = 0;
  const copy = <T>(value: T): T => structuredClone(value);
  return {
    value: (id) => copy(docs.get(id)?.value) as ScheduleDoc,
    get: async (_kind, id) => copy(docs.get(id)),
    list: async () => ({ docs: [...docs.values()].map(copy), next: undefined }),
    async put(kind, id, expected, value) {
      const there = docs.get(id);
      if ((there?.version ?? 0) !== expected) return { kind: 'stale', doc: copy(there) };
      const doc = { kind, id, version: ++version, changedAtMs: 0, value: copy(value) };
      docs.set(id, doc);
      log.push({ kind: 'schedule', id });
      return { kind: 'changed', doc: copy(doc) };
    },
    async remove(_kind, id, expected) {
      const there = docs.get(id);
      if (!there || there.version !== expected) return { kind: 'stale', doc: copy(there) };
      docs.delete(id);
      log.push({ kind: 'schedule', id });
      return { kind: 'changed', doc: there };
    },
    changes: async (since) => ({
      generation: String(log.length),
      complete: true,
      changed: since === '' ? [] : log.slice(Number(since)),
      nowMs: nowMs(),
    }),
  };
}

export interface MemoryRuns extends ScheduledRuns {
  /** Names in the order of their creation. */
  created: string[];
  looks: Map<string, RunLook>;
  deleted: Set<string>;
  stopped: string[];
  /** Thrown by the next start. */
  refuse?: Error;
}

/** Crawls that do what a test says; `running` unless it says otherwise. */
export function memoryRuns(): MemoryRuns {
  const names = new Map<string, string>();
  const runs: MemoryRuns = {
    created: [],
    looks: new Map(),
    deleted: new Set(),
    stopped: [],
    async start({ name, nonce, replaces }) {
      const { refuse } = runs;
      delete runs.refuse;
      if (refuse) throw refuse;
      if (replaces) runs.stopped.push(replaces.name);
      if (runs.deleted.has(nonce)) return { kind: 'deleted' };
      if (!names.has(nonce)) runs.created.push(name);
      names.set(nonce, name);
      return { kind: 'stands', name, nonce };
    },
    look: async ({ name }) => runs.looks.get(name) ?? { kind: 'running' },
  };
  return runs;
}
