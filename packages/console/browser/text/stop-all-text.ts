/** The words of stopping all crawls at once. */
const en = {
  title: (n: string, isOne: boolean) => (isOne ? 'Stop 1 crawl?' : `Stop all ${n} crawls?`),
  which: (running: string, paused: string) => `${running} running, ${paused} paused:`,
  more: (n: string) => `and ${n} more`,
  lead: 'Each finishes what is in flight and writes its outputs. What is queued stays, and Resume continues there.',
  others:
    'These are all crawls that your token may see, whatever the list shows. Schedules still start crawls when they are due.',
  confirm: 'Stop all',
  cancel: 'Cancel',
  pausing: (n: string, all: string) => `Pausing: ${n} of ${all}. Nothing new is requested from those.`,
  stopping: (n: string, all: string) => `Stopping: ${n} of ${all}.`,
  done: (n: string, isOne: boolean) => (isOne ? '1 crawl was stopped.' : `${n} crawls were stopped.`),
  failed: (n: string) => `${n} could not be stopped:`,
  resume: (n: string) => `Resume the ${n} that were running`,
  resumeOne: 'Resume the one that was running',
  resuming: (n: string, all: string) => `Resuming: ${n} of ${all}.`,
  resumed: (n: string) => `Resumed: ${n}. Those that were paused stay stopped.`,
  resumeFailed: (n: string) => `${n} could not be resumed:`,
  close: 'Close',
};

const de: typeof en = {
  title: (n, isOne) => (isOne ? '1 Crawl stoppen?' : `Alle ${n} Crawls stoppen?`),
  which: (running, paused) =>
    `${running} ${running === '1' ? 'läuft' : 'laufen'}, ${paused} ${paused === '1' ? 'pausiert' : 'pausieren'}:`,
  more: (n) => `und ${n} weitere`,
  lead: 'Jeder schließt ab, was gerade abgerufen wird, und schreibt seine Ergebnisse. Was wartet, bleibt; Fortsetzen macht dort weiter.',
  others:
    'Das sind alle Crawls, die Ihr Token sehen darf, gleich was die Liste zeigt. Zeitpläne starten weiterhin Crawls, wenn sie fällig sind.',
  confirm: 'Alle stoppen',
  cancel: 'Abbrechen',
  pausing: (n, all) => `Pausieren: ${n} von ${all}. Von diesen wird nichts Neues abgerufen.`,
  stopping: (n, all) => `Stoppen: ${n} von ${all}.`,
  done: (n, isOne) => (isOne ? '1 Crawl wurde gestoppt.' : `${n} Crawls wurden gestoppt.`),
  failed: (n) => `${n} konnten nicht gestoppt werden:`,
  resume: (n) => `Die ${n} fortsetzen, die liefen`,
  resumeOne: 'Den einen fortsetzen, der lief',
  resuming: (n, all) => `Fortsetzen: ${n} von ${all}.`,
  resumed: (n) => `Fortgesetzt: ${n}. Die pausierten bleiben gestoppt.`,
  resumeFailed: (n) => `${n} konnten nicht fortgesetzt werden:`,
  close: 'Schließen',
};

export const stopAllText = { en, de };
