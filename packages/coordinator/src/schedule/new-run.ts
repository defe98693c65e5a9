import { createHash } from 'node:crypto';
import { comparableRun, currentRun, type ScheduleDoc, type StartingRun } from './schedule-doc.ts';
import { createZone } from './zone.ts';

const mostNameChars = 200;

/** The run of one instant. Everything about it follows from the document, so that all coordinators mean the same crawl. */
export function newRun(id: string, doc: ScheduleDoc, dueMs: number): StartingRun {
  const { schedule, state } = doc;
  const count = state.count + 1;
  const current = currentRun(state);
  const previous = schedule.recrawl ? comparableRun(state)?.name : undefined;
  return {
    dueMs,
    count,
    name: runName(doc, { dueMs, count }),
    nonce: runNonce(id, doc, dueMs),
    ...(current ? { replaces: { name: current.name, nonce: current.nonce } } : {}),
    ...(previous === undefined ? {} : { previous }),
  };
}

/** Of a schedule that was deleted and created again under its id the runs are others. */
export function runNonce(
  id: string,
  { createdAtMs }: Pick<ScheduleDoc, 'createdAtMs'>,
  dueMs: number,
): string {
  return createHash('sha256').update(`schedule\n${id}\n${createdAtMs}\n${dueMs}`).digest('hex').slice(0, 32);
}

function runName(
  { schedule }: Pick<ScheduleDoc, 'schedule'>,
  { dueMs, count }: { dueMs: number; count: number },
): string {
  const template = schedule.runName ?? `${schedule.name} {DATE}`;
  const values: Record<string, string> = {
    COUNT: String(count),
    DATE: new Date(createZone(schedule.timeZone).localAt(dueMs)).toISOString().slice(0, 19),
    TIME: String(Math.floor(dueMs / 1_000)),
  };
  const name = template.replace(/\{(COUNT|DATE|TIME)\}/g, (_, field: string) => values[field] ?? '');
  return name.slice(0, mostNameChars);
}

/** For a run whose name another crawl has. */
export function otherName({ name, nonce }: Pick<StartingRun, 'name' | 'nonce'>): string {
  return `${name.slice(0, mostNameChars - 9)}-${nonce.slice(0, 8)}`;
}
