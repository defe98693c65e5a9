import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small site that looks like one: styles, scripts and images that a page needs, and a page that is there twice. */
export interface RequisiteSite {
  origin: string;
  /** The bodies by path. */
  pages: ReadonlyMap<string, { type: string; body: Buffer }>;
  stop(): Promise<void>;
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const words = 'A page with more words than a reference to it would have. '.repeat(60);

const html = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title><link rel="stylesheet" href="/look/main.css">` +
  `<link rel="icon" href="/look/icon.png"><script src="/look/main.js" defer></script></head>` +
  `<body><h1>${title}</h1>${body}<p>${words}</p></body></html>\n`;

const home = html(
  'The requisite site',
  '<a href="/twin">twin</a> <a href="/other">other</a><img src="/img/a.png" alt="">' +
    '<img src="/img/b.png" srcset="/img/b-2.png 2x" alt="">',
);
const twin = html('Two addresses, one page', '<img src="/img/a.png" alt="">');

const files = new Map<string, { type: string; body: Buffer }>([
  ['/', { type: 'text/html', body: Buffer.from(home) }],
  ['/twin', { type: 'text/html', body: Buffer.from(twin) }],
  ['/other', { type: 'text/html', body: Buffer.from(twin) }],
  ['/look/main.css', { type: 'text/css', body: Buffer.from('h1 { color: rgb(1, 2, 3) }\n') }],
  [
    '/look/main.js',
    { type: 'text/javascript', body: Buffer.from("document.documentElement.dataset.ran = 'yes';\n") },
  ],
  ...['/look/icon.png', '/img/a.png', '/img/b.png', '/img/b-2.png'].map(
    (path): [string, { type: string; body: Buffer }] => [path, { type: 'image/png', body: pixel }],
  ),
]);

export async function startRequisiteSite(): Promise<RequisiteSite> {
  const server = createServer((request, response) => answer(request.url ?? '/', response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    pages: files,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answer(path: string, response: ServerResponse): void {
  const found = files.get(path);
  response.sendDate = false;
  if (!found) {
    response.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': 4 }).end('none');
    return;
  }
  response
    .writeHead(200, { 'Content-Type': found.type, 'Content-Length': found.body.length })
    .end(found.body);
}
