import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { hostAddress, pageAt, pageHtml, type Site } from '../broad/site.ts';

/**
 * The servers of all hosts in one process, as cheap as they can be made: every answer is prepared whole before the
 * first request, head and all, and sent in one write. Prints its port when it is ready, and its CPU time so far for
 * every line it is sent.
 */
const site = JSON.parse(process.argv[2] ?? '{}') as Site;
const notFound = Buffer.from(
  'HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n',
);
const answers: Buffer[][] = [];
const hosts = new Map(Array.from({ length: site.hosts }, (_, host) => [hostAddress(host), host]));

/** One request at a time on a connection, its head in one piece: that is how the crawler asks. */
function serve(socket: Socket): void {
  const pages = answers[hosts.get(socket.localAddress ?? '') ?? 0] ?? [];
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (head: Buffer) => {
    const line = head.toString('latin1', 4, head.indexOf(32, 4));
    socket.write(pages[pageAt(line, site)] ?? notFound);
  });
}

function listen(address: string, port: number): Promise<number> {
  const server = createServer(serve);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

const port = await listen(hostAddress(0), 0);
for (let host = 1; host < site.hosts; host++) await listen(hostAddress(host), port);
const origin = (host: number) => `http://${hostAddress(host)}:${port}`;
let plainBytes = 0;
let sentBytes = 0;
for (let host = 0; host < site.hosts; host++) {
  answers.push(
    Array.from({ length: site.pagesPerHost }, (_, page) => {
      const html = pageHtml(site, origin, host, page);
      const body = gzipSync(html, { level: 6 });
      plainBytes += html.length;
      sentBytes += body.length;
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), body]);
    }),
  );
}
const pages = site.hosts * site.pagesPerHost;
const facts = {
  port,
  meanBytes: Math.round(plainBytes / pages),
  meanSentBytes: Math.round(sentBytes / pages),
};
console.log(JSON.stringify(facts));
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1_000 }));
});
process.stdin.once('end', () => process.exit(0));
