/** The head of a request, as much of it as the fake web needs. */
export interface RequestHead {
  method: string;
  path: string;
  /** Lower case, without port. */
  host: string;
  acceptEncoding: string;
  ifNoneMatch: string;
  ifModifiedSince: string;
  close: boolean;
  /** All header lines but Host. */
  headers: string;
  /** Where the next request starts. */
  end: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Undefined while the head is not complete; `bad` when it is no HTTP. */
export function parseHead(buffer: Buffer): RequestHead | undefined | 'bad' {
  const end = buffer.indexOf(headEnd);
  if (end < 0) return buffer.length > 65_536 ? 'bad' : undefined;
  const lineEnd = buffer.indexOf(13);
  const line = buffer.toString('latin1', 0, lineEnd);
  const space = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (space < 0 || last <= space || !line.startsWith('HTTP/1.', last + 1)) return 'bad';
  const head: RequestHead = {
    method: line.slice(0, space),
    // Copied, not sliced: a slice would keep the whole line alive in the log.
    path: buffer.toString('latin1', space + 1, last),
    host: '',
    acceptEncoding: '',
    ifNoneMatch: '',
    ifModifiedSince: '',
    close: line.endsWith('/1.0'),
    headers: '',
    end: end + 4,
  };
  readHeaders(head, lineEnd < end ? buffer.toString('latin1', lineEnd + 2, end) : '');
  return head;
}

function readHeaders(head: RequestHead, text: string): void {
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name === 'host') {
      head.host = withoutPort(
        line
          .slice(colon + 1)
          .trim()
          .toLowerCase(),
      );
      continue;
    }
    head.headers += `${line}\n`;
    if (name === 'accept-encoding') head.acceptEncoding = line.slice(colon + 1);
    else if (name === 'if-none-match') head.ifNoneMatch = line.slice(colon + 1).trim();
    else if (name === 'if-modified-since') head.ifModifiedSince = line.slice(colon + 1).trim();
    else if (name === 'connection') head.close = /close/i.test(line);
  }
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon < 0 ? host : host.slice(0, colon);
}
