import { scheduleSchema } from '@webfarer/protocol/api';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { ScheduleDoc } from './schedule-doc.ts';

export interface ScheduleTableOptions<Row> {
  registry: Pick<Registry, 'get' | 'list' | 'changes'>;
  /** What is kept of a document, given what was kept of the one before. */
  plan(doc: RegistryDoc<ScheduleDoc>, before: Row | undefined): Row;
}

/** All schedules of the registry, as of the last refresh. One question where nothing has changed. */
export interface ScheduleTable<Row> {
  /** Answers the time at the registry, ms since 1970. */
  refresh(): Promise<number>;
  all(): Row[];
  get(id: string): Row | undefined;
  set(id: string, row: Row): void;
  drop(id: string): void;
}

const PAGE = 500;

export function createScheduleTable<Row extends { doc: RegistryDoc<ScheduleDoc> }>({
  registry,
  plan,
}: ScheduleTableOptions<Row>): ScheduleTable<Row> {
  let rows = new Map<string, Row>();
  let generation = '';

  function planned(doc: RegistryDoc | undefined): Row | undefined {
    const read = doc && readScheduleDoc(doc);
    if (!read) return undefined;
    const before = rows.get(read.id);
    return before?.doc.version === read.version ? before : plan(read, before);
  }

  async function readAll(): Promise<void> {
    const found = new Map<string, Row>();
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { docs, next }: Awaited<ReturnType<Registry['list']>> = await registry.list('schedule', {
        after,
        limit: PAGE,
      });
      for (const doc of docs) {
        const row = planned(doc);
        if (row) found.set(doc.id, row);
      }
      after = next;
    }
    rows = found;
  }

  async function readOne(id: string): Promise<void> {
    const row = planned(await registry.get('schedule', id));
    if (row) rows.set(id, row);
    else rows.delete(id);
  }

  return {
    async refresh() {
      const isFirst = generation === '';
      const answer = await registry.changes(generation);
      if (isFirst || !answer.complete) await readAll();
      else for (const { kind, id } of answer.changed) if (kind === 'schedule') await readOne(id);
      // Only now: where a read failed, the same changes are asked for again.
      generation = answer.generation;
      return answer.nowMs;
    },
    all: () => [...rows.values()],
    get: (id) => rows.get(id),
    set: (id, row) => void rows.set(id, row),
    drop: (id) => void rows.delete(id),
  };
}

/** Undefined where another version of the software wrote what this one cannot read. */
export function readScheduleDoc(doc: RegistryDoc): RegistryDoc<ScheduleDoc> | undefined {
  const value = doc.value as Partial<ScheduleDoc>;
  const { success, data } = scheduleSchema.safeParse(value.schedule);
  if (!success || !value.state) return undefined;
  // Documents of earlier releases do not say who wrote them.
  const powers = value.powers ?? 'operator';
  return { ...doc, value: { ...(value as ScheduleDoc), schedule: data, powers } };
}
