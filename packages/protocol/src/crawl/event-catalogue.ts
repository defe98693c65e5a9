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
      'The files of --tls-cert and --tls-key changed and cannot be used, or hold a certificate that has expired. The certificate before stays in use; the coordinator keeps looking.',
    fields: { message: 'what is wrong with them' },
  },
  'certificate-expires': {
    level: 'warn',
    meaning:
      'The certificate of --tls-cert that is in use has expired, or does so within two weeks. Repeated each day.',
    fields: { file: 'the file of the certificate', atMs: 'when it expires, milliseconds since 1970' },
  },
  'token-changed': {
    level: 'info',
    meaning:
      'The file of --worker-token-file or --operator-token-file holds another token. The one before stays valid for a day.',
    fields: { file: 'the file of the token' },
  },
  'token-refused': {
    level: 'warn',
    meaning:
      'A token file changed and cannot be used. The token before stays valid; the coordinator keeps looking.',
    fields: { message: 'what is wrong with it' },
  },
  'store-trouble': {
    level: 'warn',
    meaning:
      'Calls to the store have waited for two seconds. They are repeated; nothing is lost. Where this comes and goes, one event a minute counts it.',
    fields: {
      cause: 'as in `/ready`',
      text: 'what is wrong',
      times: 'how often it has happened since the last such event',
    },
  },
  'store-answers': {
    level: 'info',
    meaning: 'The store answers again after a `store-trouble`.',
    fields: {},
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
  'schedule-skipped': {
    level: 'warn',
    meaning:
      'Instants of a schedule passed without a run, other than by its own `overlap`. One coordinator of a store reports it.',
    fields: {
      schedule: 'id of the schedule',
      why: 'missed: no coordinator could run it. too-soon: the run before had just begun. clock: it ran before its time, by a clock that was ahead',
      count: 'how many instants',
      dueMs: 'the latest of them, milliseconds since 1970',
    },
  },
  'clock-jumped': {
    level: 'warn',
    meaning:
      'The clock of a coordinator was set, or its machine was suspended. Schedules follow the new time, or that of the store; none runs twice.',
    fields: { byMs: 'milliseconds, negative when set back' },
  },
  'clock-differs': {
    level: 'warn',
    meaning:
      'The clock of a coordinator differs from that of the store by 30 s or more, differs by another amount, or agrees again. Schedules follow the store. Tokens expire, and webhooks are dated, by the clock of the coordinator.',
    fields: { byMs: 'by how many milliseconds it is ahead; negative when behind, 0 when they agree again' },
  },
  'crawl-state': {
    level: 'info',
    meaning: 'A crawl started, was paused by an operator, or ended.',
    fields: { crawl, name: 'its name', state: 'running, paused, finished, limited or stopped' },
  },
  'crawl-failed': {
    level: 'warn',
    meaning:
      'A coordinator could not open a crawl, could not delete all of it, or had to end it. Its other crawls continue. It tries again when the crawl is resumed or edited, when the coordinator restarts, and by itself after a problem with the store. It repeats a deletion after growing waits of up to 5 minutes.',
    fields: {
      crawl,
      name: 'its name',
      code: 'from docs/reasons.md',
      message: 'what happened, for a person',
      next: 'what to do',
    },
  },
  'crawl-paused': {
    level: 'warn',
    meaning:
      'A crawl paused without being asked to; it resumes when the cause is gone. Where it pauses and resumes again and again, one event a minute counts the pauses.',
    fields: {
      crawl,
      pause: '`cause` from the table in docs/reasons.md, and `text` for a person',
      times: 'how often it has paused since the last such event',
    },
  },
  'crawl-resumed': { level: 'info', meaning: 'The cause of a pause is gone.', fields: { crawl } },
  'crawl-stalled': {
    level: 'info',
    meaning:
      'A crawl makes no progress. Each cause is reported once until it changes. Where the crawl moves and stalls again and again, one event a minute counts it.',
    fields: {
      crawl,
      stall:
        '`cause` from the table in docs/reasons.md, `text` for a person, and the `host` it waits for, if any',
      times: 'how often it has stalled since the last such event',
    },
  },
  'crawl-moving': { level: 'info', meaning: 'The crawl makes progress again.', fields: { crawl } },
  'worker-lost': {
    level: 'warn',
    meaning:
      'A worker process of a local crawl died. Its leases are released and another process replaces it.',
    fields: { crawl, text: 'what happened and what follows, for a person' },
  },
  'worker-blocked': {
    level: 'warn',
    meaning:
      'Pages of a crawl blocked the event loop of a worker for a second or longer, three times within five minutes. Nothing was paused, because the crawl is local or has the worker to itself. A worker reports it once for a crawl.',
    fields: {
      crawl,
      worker: 'id of the worker',
      text: 'how often, for how long, the last URL and what was done with it',
    },
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
  'cookies-left-out': {
    level: 'warn',
    meaning:
      'Cookies were not kept: a site has room for 300 of them and a crawl for 4,000, those of the sites that were asked last, and 100 of a site are passed on to other workers. Told at the first, and each time there are ten times as many.',
    fields: {
      crawl,
      host: 'whose pages set the last of them',
      count: 'how many so far, since a coordinator opened the crawl',
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
