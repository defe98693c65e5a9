import type { Capture } from '../saver.ts';

/**
 * The head as served, but for what is not true of the bytes that follow it: the transfer coding was undone,
 * and the body may have been cut or never sent (HEAD). Those headers are kept under an X-Crawler- name, so
 * that no reader tries to undo chunks or waits for bytes that never come.
 */
export function responseHead(page: Capture['page']): Buffer {
  const coded = page.headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  const wrong = (name: string, value: string) => {
    if (/^transfer-encoding$/i.test(name)) return true;
    return /^content-length$/i.test(name) && (coded || value.trim() !== String(page.body.length));
  };
  return headBytes(page, wrong);
}

/** The head of an answer whose body stands elsewhere: its length is right there. */
export function revisitHead(page: Capture['page']): Buffer {
  return page.status === 304 ? headBytes(page, () => false) : responseHead(page);
}

function headBytes(page: Capture['page'], wrong: (name: string, value: string) => boolean): Buffer {
  let text = `HTTP/1.1 ${page.status} ${foldLine(page.statusText)}\r\n`;
  for (const [name, value] of page.headers) {
    text += `${wrong(name, value) ? 'X-Crawler-' : ''}${foldLine(name)}: ${foldLine(value)}\r\n`;
  }
  return headerBytes(`${text}\r\n`);
}

/**
 * Headers that are no key to anything: what HTTP itself needs, what browsers send about a page, what a request is signed
 * with. Every other one may be a key, whether a job, a handler or a script of the page has set it.
 */
const open =
  /(?:host|connection|user-agent|accept|accept-(?:charset|encoding|language)|content-(?:type|length|encoding|language)|transfer-encoding|te|expect|if-(?:match|modified-since|none-match|range|unmodified-since)|range|referer|origin|cache-control|pragma|priority|from|dnt|purpose|save-data|upgrade-insecure-requests|x-requested-with|access-control-request-(?:headers|method)|sec-(?:fetch|ch)-[a-z-]+|sec-gpc|signature|signature-(?:agent|input))[ \t]*:/iy;

function isOpenAt(head: string, at: number): boolean {
  open.lastIndex = at;
  return open.test(head);
}

/** Whether a line behind the first is neither such a header, nor the rest of the line before, nor the end. */
function mayHoldKey(head: string): boolean {
  for (let at = head.indexOf('\n') + 1; at > 0 && at < head.length; at = head.indexOf('\n', at) + 1)
    if (!' \t\r'.includes(head.charAt(at)) && !isOpenAt(head, at)) return true;
  return false;
}

export interface RequestHead {
  bytes: Buffer;
  /** Names of the headers that were sent but are not in the bytes. */
  omitted: string[];
}

/** The request as sent, without what would let a reader of the archive act in somebody's name. */
export function archivedRequest(head: string, body: string | Buffer = ''): RequestHead {
  const whole = (text: string) =>
    body.length === 0
      ? headerBytes(text)
      : Buffer.concat([headerBytes(text), typeof body === 'string' ? Buffer.from(body) : body]);
  if (!mayHoldKey(head)) return { bytes: whole(head), omitted: [] };
  const omitted: string[] = [];
  let dropping = false;
  const [first = '', ...lines] = head.split('\r\n');
  const kept = lines.filter((line) => {
    // A line that begins with white space goes on with the one before it.
    if (!/^[ \t]/.test(line)) {
      const name = isOpenAt(line, 0) ? undefined : /^[^:\s]+/.exec(line)?.[0];
      dropping = name !== undefined;
      if (name !== undefined && !omitted.includes(name)) omitted.push(name);
    }
    return !dropping;
  });
  return { bytes: whole([first, ...kept].join('\r\n')), omitted };
}

/** HTTP heads are bytes read as Latin-1. Wider characters must not lose their high half: it could become CR or LF. */
function headerBytes(text: string): Buffer {
  return Buffer.from(text, /^[\u0000-\u00ff]*$/.test(text) ? 'latin1' : 'utf8');
}

function foldLine(text: string): string {
  return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]+/g, ' ') : text;
}
