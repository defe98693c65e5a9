import type { EventsMissed, WebfarerEvent } from './events.ts';

/** `debug`: one per page or host, never in a log file. `warn`: recovers without help. `error`: the process ends. */
export type EventLevel = 'debug' | 'info' | 'warn' | 'error';

type AnyEvent = WebfarerEvent | EventsMissed;
type FieldOf<Event> = Event extends unknown ? Exclude<keyof Event, 'type'> & string : never;

/** What an event means, and every field it can have. */
export interface EventMeaning<Field extends string = string> {
  level: EventLevel;
  meaning: string;
  fields: Readonly<Record<Field, string>>;
}

const crawl = 'id of the crawl';

/** Every event there is. docs/events.md is generated from this table; the compiler compares it with the types. */
export const eventCatalogue: {
  readonly [Type in AnyEvent['type']]: EventMeaning<FieldOf<Extract<AnyEvent, { type: Type }>>>;
} = {
  'coordinator-started': {
    level: 'info',
    meaning: 'A coordinator listens and accepts workers.',
    fields: { id: 'id of the coordinator', url: 'where others reach it', version: 'of the software' },
  },
  'coordinator-stopped': {
    level: 'info',
    meaning: 'A coordinator has disconnected its workers and exits.',
    fields: { id: 'id of the coordinator' },
  },
  'coordinators-changed': {
    level: 'info',
    meaning: 'A coordinator of the same store appeared or left; the workers are redistributed.',
    fields: { ids: 'ids of the coordinators that are present' },
  },
  'certificate-changed': {
    level: 'info',
    meaning: 'The files of --tls-cert and --tls-key hold another certificate; new connections use it.',
    fields: { file: 'the file of the certificate' },
  },
  'certificate-refused': {
    level: 'warn',
    meaning:
      'The files of --tls-cert and --tls-key changed and cannot be used. The certificate before stays in use; the coordinator keeps looking.',
    fields: { message: 'what is wrong with them' },
  },
  'request-failed': {
    level: 'warn',
    meaning: 'A request to the API met a bug. The client was answered 500 without details.',
    fields: { message: 'what happened' },
  },
  'schedule-run': {
    level: 'info',
    meaning: 'A schedule started a crawl. One coordinator of a store reports it.',
    fields: {
      schedule: 'id of the schedule',
      name: 'of the crawl',
      dueMs: 'when it was due, milliseconds since 1970',
    },
  },
  'schedule-failed': {
    level: 'warn',
    meaning: 'A run of a schedule could not be started; the schedule tries again when it is due next.',
    fields: { schedule: 'id of the schedule', message: 'what happened', next: 'what the operator can do' },
  },
  'clock-jumped': {
    level: 'warn',
    meaning:
      'The clock of a coordinator was set, or its machine was suspended. Schedules follow the new time; none runs twice.',
    fields: { byMs: 'milliseconds, negative when set back' },
  },
  'crawl-state': {
    level: 'info',
    meaning: 'A crawl started, was paused by an operator, or ended.',
    fields: { crawl, name: 'its name', state: 'running, paused, finished, limited or stopped' },
  },
  'crawl-failed': {
    level: 'warn',
    meaning:
      'A coordinator could not open a crawl, or had to end it. Its other crawls continue. It tries again when the crawl is resumed or edited, when the coordinator restarts, and by itself after a problem with the store.',
    fields: {
      crawl,
      name: 'its name',
      code: 'from docs/reasons.md',
      message: 'what happened, for a person',
    },
  },
  'crawl-paused': {
    level: 'warn',
    meaning: 'A crawl paused without being asked to; it resumes when the cause is gone.',
    fields: { crawl, pause: '`cause` from the table in docs/reasons.md, and `text` for a person' },
  },
  'crawl-resumed': { level: 'info', meaning: 'The cause of a pause is gone.', fields: { crawl } },
  'crawl-stalled': {
    level: 'info',
    meaning: 'A crawl makes no progress. Each cause is reported once until it changes.',
    fields: {
      crawl,
      stall:
        '`cause` from the table in docs/reasons.md, `text` for a person, and the `host` it waits for, if any',
    },
  },
  'crawl-moving': { level: 'info', meaning: 'The crawl makes progress again.', fields: { crawl } },
  'worker-lost': {
    level: 'warn',
    meaning:
      'A worker process of a local crawl died. Its leases are released and another process replaces it.',
    fields: { crawl, text: 'what happened and what follows, for a person' },
  },
  record: {
    level: 'debug',
    meaning: 'The outcome of one URL was committed.',
    fields: { crawl, record: 'as `export records` writes it' },
  },
  robots: {
    level: 'debug',
    meaning: 'The robots.txt of an origin was read.',
    fields: {
      crawl,
      origin: 'scheme, host and port',
      state: 'rules, absent or unreachable',
      rules: 'rules in the group that applies to this crawler',
      crawlDelayMs: 'the delay it asks for, if any',
      sitemaps: 'the sitemaps it names',
      detail: 'why it could not be read',
    },
  },
  'host-waits': {
    level: 'debug',
    meaning: 'A host will not be contacted for a while.',
    fields: {
      crawl,
      host: 'the host',
      why: 'from the table of waits in docs/reasons.md',
      forMs: 'for how long',
      detail: 'what happened, if known',
    },
  },
  'worker-joined': {
    level: 'info',
    meaning: 'A worker connected.',
    fields: { worker: 'id of the worker', trust: 'own or volunteer', address: 'its IP address' },
  },
  'worker-left': {
    level: 'info',
    meaning: 'The connection to a worker was lost. It may reconnect, and keeps its leases until they expire.',
    fields: { worker: 'id of the worker', reason: 'why, for a person' },
  },
  'worker-refused': {
    level: 'warn',
    meaning: 'A connection was rejected.',
    fields: { address: 'the IP address it came from', reason: 'why, for a person' },
  },
  'worker-unable': {
    level: 'warn',
    meaning:
      'A worker cannot work on a crawl, because of something on its machine. It works on the others, and tries again after a minute or when the job changes.',
    fields: {
      worker: 'id of the worker',
      crawl,
      name: 'of the crawl',
      code: 'from the table of errors',
      message: 'what the worker said',
    },
  },
  'worker-started': {
    level: 'info',
    meaning: 'A worker process started; it is not connected yet.',
    fields: { worker: 'id of the worker', version: 'of the software' },
  },
  'worker-stopped': {
    level: 'info',
    meaning: 'A worker process returned its leases and exits.',
    fields: { worker: 'id of the worker', why: 'asked, drain or over', pages: 'outcomes it reported' },
  },
  'link-up': {
    level: 'info',
    meaning: 'The worker is connected to a coordinator.',
    fields: { url: 'of the coordinator', coordinator: 'id of the coordinator' },
  },
  'link-down': {
    level: 'warn',
    meaning: 'The worker is not connected; it tries its coordinators until one answers.',
    fields: { reason: 'why, for a person', outbox: 'reports that wait to be delivered' },
  },
  failed: {
    level: 'error',
    meaning: 'A defect, or a problem that only an operator can fix. No committed result is lost.',
    fields: { code: 'from docs/reasons.md', message: 'what happened, for a person' },
  },
  'events-missed': {
    level: 'warn',
    meaning:
      'This reader was slower than the events, or presented a cursor from before a restart. It continues with the oldest event still in memory.',
    fields: {
      why: 'behind or restarted',
      missed: 'events between its cursor and the next one; 0 after a restart',
    },
  },
};
