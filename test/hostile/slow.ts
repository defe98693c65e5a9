import { type BadServer, drip, flood, headOf, htmlHead, reply } from './bad-server.ts';

const late = ['timeout'];
const silent = ['host-dead'];
/** Cut at the limit of length or of time, whichever comes first. */
const cut = ['ok', 'timeout'];

const mapHead = headOf('Content-Type: application/xml');
/** Its pages are in order, the sitemap that its robots.txt names is not. */
const mapThat = (name: string, answer: BadServer['answer']): BadServer => ({
  name: `sitemap-${name}`,
  robots: 'Sitemap: /map.xml\n',
  expects: ['ok'],
  answer: (socket, path, host) =>
    path.startsWith('/map') ? answer(socket, path, host) : reply(socket, '<p>page'),
});

/** Servers that take time, and servers whose head never ends. */
export const slowServers: BadServer[] = [
  { name: 'accepts-only', expects: silent, onRobots: true, greet: () => true, answer: () => {} },
  { name: 'says-nothing', expects: late, answer: () => {} },
  { name: 'half-a-head', expects: late, answer: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-') },
  { name: 'drips-head', expects: late, answer: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: ', 'x') },
  {
    name: 'drips-headers',
    expects: late,
    answer: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'),
  },
  {
    name: 'stalls-after-head',
    expects: late,
    answer: (socket) => socket.write(htmlHead('Content-Length: 10')),
  },
  {
    name: 'drips-body',
    expects: late,
    answer: (socket) => drip(socket, htmlHead('Content-Length: 9000'), 'x'),
  },
  {
    name: 'drips-chunks',
    expects: late,
    answer: (socket) => drip(socket, htmlHead('Transfer-Encoding: chunked'), '1\r\nx\r\n'),
  },
  {
    name: 'drips-interim',
    expects: ['protocol-error'],
    answer: (socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n'),
  },
  { name: 'closes-at-once', expects: silent, onRobots: true, greet: closes, answer: () => {} },
  { name: 'resets-at-once', expects: silent, onRobots: true, greet: resets, answer: () => {} },
  { name: 'closes-on-request', expects: ['connection-reset'], answer: (socket) => socket.end() },
  {
    name: 'resets-on-request',
    expects: ['connection-reset'],
    answer: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'closes-in-body',
    expects: ['connection-reset'],
    answer: (socket) => socket.end(`${htmlHead('Content-Length: 1000')}<a href=/x>`),
  },
  {
    name: 'robots-drips',
    expects: silent,
    onRobots: true,
    answer: (socket) => drip(socket, htmlHead(), 'User-agent'),
  },
  {
    name: 'robots-stalls',
    expects: silent,
    onRobots: true,
    answer: (socket) => socket.write(htmlHead('Content-Length: 9')),
  },
  {
    name: 'robots-drips-rules',
    expects: silent,
    onRobots: true,
    answer: (socket) => drip(socket, headOf('Content-Type: text/plain'), 'Disallow: /a\n'),
  },
  {
    name: 'robots-drips-head',
    expects: silent,
    onRobots: true,
    answer: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'),
  },
  {
    name: 'robots-drips-gzip',
    expects: silent,
    onRobots: true,
    // A block of its own for each byte: nothing can be read before the end.
    answer: (socket) =>
      drip(socket, `${headOf('Content-Encoding: gzip')}\x1f\x8b\x08\0\0\0\0\0\0\x03`, '\0\x01\0\xfe\xff#'),
  },
  mapThat('drips', (socket) => drip(socket, `${mapHead}<urlset>`, '<url><loc>/a</loc></url>')),
  mapThat('drips-head', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n')),
  mapThat('stalls', (socket) => socket.write(headOf('Content-Type: application/xml', 'Content-Length: 9'))),
  mapThat('says-nothing', () => {}),
  mapThat('resets', (socket) => socket.resetAndDestroy()),
  // Heads that do not end.
  {
    name: 'one-huge-header',
    expects: ['headers-too-large'],
    answer: (socket) => reply(socket, '', { headers: [`X: ${'x'.repeat(1_048_576)}`] }),
  },
  {
    name: 'very-many-headers',
    expects: ['headers-too-large'],
    answer: (socket) => reply(socket, '', { headers: Array<string>(100_000).fill('a: b') }),
  },
  {
    name: 'many-small-headers',
    expects: ['headers-too-large'],
    answer: (socket) => reply(socket, '', { headers: Array<string>(400).fill('a: b') }),
  },
  {
    name: 'endless-header',
    expects: ['headers-too-large'],
    answer: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: ', 'x'),
  },
  {
    name: 'endless-headers',
    expects: ['headers-too-large'],
    answer: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'Set-Cookie: a=b\r\n'),
  },
  {
    name: 'endless-status',
    expects: ['headers-too-large'],
    answer: (socket) => flood(socket, 'HTTP/1.1 200 ', 'O'),
  },
  {
    name: 'interim-flood',
    expects: ['protocol-error'],
    answer: (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
  },
  {
    name: 'early-hints-flood',
    expects: ['protocol-error'],
    answer: (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'),
  },
  {
    name: 'robots-huge-header',
    expects: ['headers-too-large'],
    onRobots: true,
    answer: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: ', 'x'),
  },
  {
    name: 'robots-many-headers',
    expects: ['headers-too-large'],
    onRobots: true,
    answer: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  },
  mapThat('many-headers', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n')),
  {
    name: 'redirect-many-headers',
    expects: ['headers-too-large'],
    answer: (socket) => flood(socket, 'HTTP/1.1 302 Found\r\nLocation: /x\r\n', 'Location: /y\r\n'),
  },
  {
    name: 'full-head',
    // As many as are taken, each of them one that is read.
    expects: ['ok'],
    answer: (socket) =>
      reply(socket, 'x', {
        headers: Array.from({ length: 60 }, (_, n) => `Link: <${`/l${n}`.repeat(40)}>; rel="next"`),
      }),
  },
  // Bodies that do not end.
  {
    name: 'endless-body',
    expects: cut,
    answer: (socket) => flood(socket, htmlHead(), '<p>more</p> '),
  },
  {
    name: 'endless-chunks',
    expects: cut,
    answer: (socket) => flood(socket, htmlHead('Transfer-Encoding: chunked'), '1\r\nx\r\n'),
  },
  {
    name: 'endless-extension',
    expects: cut,
    answer: (socket) => flood(socket, `${htmlHead('Transfer-Encoding: chunked')}1;`, 'x'),
  },
  {
    name: 'endless-trailers',
    expects: ['headers-too-large'],
    answer: (socket) => flood(socket, `${htmlHead('Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n`, 'T: x\r\n'),
  },
];

function closes(socket: { end: () => unknown }): boolean {
  socket.end();
  return true;
}

function resets(socket: { resetAndDestroy: () => unknown }): boolean {
  socket.resetAndDestroy();
  return true;
}
