/** The words for who fetched a URL, what took its time, and the tries before. */
const en = {
  queued: 'Queued',
  queuedFor: (span: string) => `for ${span}`,
  queuedWithTries: (span: string) => `for ${span}, earlier tries included`,
  queuedUnknown: 'For how long is not recorded.',
  leasedTo: 'Leased to',
  waited: (span: string) => `waited ${span} there`,
  request: 'What the request spent its time on',
  reused: 'What the request spent its time on, over a connection that was open already',
  phases: { dns: 'DNS', connect: 'Connect', tls: 'TLS', answer: 'First byte', body: 'Body' },
  whole: 'Total',
  ms: (n: string) => `${n} ms`,
  unknown: 'The worker, DNS and connection times of this request are not recorded.',
  tries: 'Earlier tries',
  took: (span: string) => `after ${span}`,
  untold: (n: string) =>
    n === '1' ? '1 earlier try is not recorded.' : `${n} earlier tries are not recorded.`,
};

const de: typeof en = {
  queued: 'Gewartet',
  queuedFor: (span) => span,
  queuedWithTries: (span) => `${span}, mit früheren Versuchen`,
  queuedUnknown: 'Wie lange, ist nicht festgehalten.',
  leasedTo: 'Vergeben an',
  waited: (span) => `wartete dort ${span}`,
  request: 'Womit der Abruf seine Zeit verbrachte',
  reused: 'Womit der Abruf seine Zeit verbrachte, über eine schon offene Verbindung',
  phases: { dns: 'DNS', connect: 'Verbindung', tls: 'TLS', answer: 'Erstes Byte', body: 'Inhalt' },
  whole: 'Gesamt',
  ms: (n) => `${n} ms`,
  unknown: 'Worker, DNS- und Verbindungszeiten dieses Abrufs sind nicht festgehalten.',
  tries: 'Frühere Versuche',
  took: (span) => `nach ${span}`,
  untold: (n) =>
    n === '1'
      ? '1 früherer Versuch ist nicht festgehalten.'
      : `${n} frühere Versuche sind nicht festgehalten.`,
};

export const timesText = { en, de };
