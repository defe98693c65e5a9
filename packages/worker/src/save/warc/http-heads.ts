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

const credentials = /\n(?:cookie|authorization|proxy-authorization)[ \t]*:/i;
const credentialLine = /^(cookie|authorization|proxy-authorization)[ \t]*:/i;

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
  if (!credentials.test(head)) return { bytes: whole(head), omitted: [] };
  const omitted: string[] = [];
  let dropping = false;
  const kept = head.split('\r\n').filter((line) => {
    // A line that begins with white space goes on with the one before it.
    if (!/^[ \t]/.test(line)) {
      const name = credentialLine.exec(line)?.[1];
      dropping = name !== undefined;
      if (name !== undefined && !omitted.includes(name)) omitted.push(name);
    }
    return !dropping;
  });
  return { bytes: whole(kept.join('\r\n')), omitted };
}

/** HTTP heads are bytes read as Latin-1. Wider characters must not lose their high half: it could become CR or LF. */
function headerBytes(text: string): Buffer {
  return Buffer.from(text, /^[\u0000-\u00ff]*$/.test(text) ? 'latin1' : 'utf8');
}

function foldLine(text: string): string {
  return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]+/g, ' ') : text;
}
