/**
 * Everything that a coordinator or a worker writes to its log, and nothing else: one JSON object a line, with the
 * time, the name of the event, how much it matters, and these fields. docs/events.md is made from this table.
 */
export interface EventMeaning {
  /** `warn`: it goes on by itself, but somebody may want to know. `error`: the process ends. */
  level: 'info' | 'warn' | 'error';
  meaning: string;
  fields: Readonly<Record<string, string>>;
}

export const eventCatalogue = {
  'coordinator-started': {
    level: 'info',
    meaning: 'A coordinator listens and lets workers in.',
    fields: { id: 'of the coordinator', url: 'where others reach it', version: 'of the software' },
  },
  'coordinator-stopped': {
    level: 'info',
    meaning: 'A coordinator has said goodbye to its workers and ends.',
    fields: { id: 'of the coordinator' },
  },
  'coordinators-changed': {
    level: 'info',
    meaning: 'Coordinators of the same store came or went; workers are shared out again.',
    fields: { count: 'how many there are', ids: 'of those that are there' },
  },
  'crawl-state': {
    level: 'info',
    meaning: 'A crawl runs, was paused, or is over.',
    fields: { crawl: 'its id', name: 'its name', state: 'running, paused, finished, limited or stopped' },
  },
  'crawl-paused': {
    level: 'warn',
    meaning: 'A crawl stands still although nobody asked it to; it goes on by itself.',
    fields: { crawl: 'its id', cause: 'from the table of causes in docs/reasons.md', text: 'in a sentence' },
  },
  'crawl-resumed': { level: 'info', meaning: 'It goes on.', fields: { crawl: 'its id' } },
  'crawl-stalled': {
    level: 'info',
    meaning: 'A crawl makes no progress, and why. Each cause is told once until it changes.',
    fields: {
      crawl: 'its id',
      cause: 'from the table of causes in docs/reasons.md',
      host: 'the host it waits for, or empty',
      text: 'in a sentence',
    },
  },
  'crawl-moving': { level: 'info', meaning: 'The crawl makes progress again.', fields: { crawl: 'its id' } },
  'worker-joined': {
    level: 'info',
    meaning: 'A worker was let in.',
    fields: { worker: 'its id', trust: 'own or volunteer', address: 'where it came from' },
  },
  'worker-left': {
    level: 'info',
    meaning: 'The connection to a worker is gone; it may come back and keeps what it holds until then.',
    fields: { worker: 'its id', reason: 'in words' },
  },
  'worker-refused': {
    level: 'warn',
    meaning: 'Somebody was not let in.',
    fields: { address: 'where it came from', reason: 'in words' },
  },
  'worker-started': {
    level: 'info',
    meaning: 'A worker begins, linked or not.',
    fields: { worker: 'its id', version: 'of the software' },
  },
  'worker-stopped': {
    level: 'info',
    meaning: 'A worker has given back what it held and ends.',
    fields: { worker: 'its id', why: 'asked, drain or over', pages: 'outcomes it reported' },
  },
  'link-up': {
    level: 'info',
    meaning: 'The worker is linked to a coordinator.',
    fields: { url: 'of the coordinator', coordinator: 'its id' },
  },
  'link-down': {
    level: 'warn',
    meaning: 'The worker is not linked; it looks for a coordinator until it finds one.',
    fields: { reason: 'in words', outbox: 'reports that wait' },
  },
  failed: {
    level: 'error',
    meaning: 'A fault of ours, or something that only a person can mend. Nothing is lost.',
    fields: { code: 'from docs/reasons.md', message: 'in words' },
  },
} as const satisfies Record<string, EventMeaning>;

export type EventName = keyof typeof eventCatalogue;
export type EventFields<Name extends EventName> = Record<
  keyof (typeof eventCatalogue)[Name]['fields'] & string,
  string | number
>;
