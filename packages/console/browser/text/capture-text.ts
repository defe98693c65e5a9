/** What is said about captures: what can be seen of one, where it is otherwise, and how to get it. */
const en = {
  shared: (file: string) =>
    `The capture is in the object storage of the crawl, in ${file}. This console does not read it.`,
  member: (member: string, file: string) =>
    `The capture is in ${file} of the folder ${member}, on another machine.`,
  saver: (saver: string) => `What the saver ${saver} keeps cannot be shown here.`,
  large: (size: string) => `The capture has ${size}: too much for a preview.`,
  earlier: 'The body is in the archive of an earlier crawl.',
  revisited: 'The body is the one of an earlier capture.',
  drawn: 'The page as a browser drew it. The source is what the site sent.',
  noPicture: 'The archive holds no picture here that this browser can draw.',
  download: 'Download',
  get: {
    shared: 'To get it, run this where any folder of the crawl is:',
    member: 'To get it, run this on the machine that has the folder:',
    large: 'To get it, run this where the folder of the crawl is:',
  },
  folder: 'FOLDER is the folder of the crawl there.',
};

const de: typeof en = {
  shared: (file) =>
    `Die Aufnahme liegt im Objektspeicher des Crawls, in ${file}. Diese Konsole liest ihn nicht.`,
  member: (member, file) => `Die Aufnahme liegt in ${file} des Ordners ${member} auf einer anderen Maschine.`,
  saver: (saver) => `Was ${saver} speichert, kann hier nicht gezeigt werden.`,
  large: (size) => `Die Aufnahme hat ${size}: zu viel für eine Vorschau.`,
  earlier: 'Der Inhalt liegt im Archiv eines früheren Crawls.',
  revisited: 'Der Inhalt ist der einer früheren Aufnahme.',
  drawn: 'Die Seite, wie ein Browser sie gezeichnet hat. Der Quelltext ist, was die Site gesendet hat.',
  noPicture: 'Das Archiv hat hier kein Bild, das dieser Browser zeichnen kann.',
  download: 'Herunterladen',
  get: {
    shared: 'So kommt man daran, wo irgendein Ordner des Crawls liegt:',
    member: 'So kommt man daran, auf der Maschine, die den Ordner hat:',
    large: 'So kommt man daran, wo der Ordner des Crawls liegt:',
  },
  folder: 'FOLDER ist der Ordner des Crawls dort.',
};

export const captureText = { en, de };
