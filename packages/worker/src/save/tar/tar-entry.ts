import { tarBlock, tarChecksum } from '../../archive/tar/tar-header.ts';

/** Two blocks of zeros end an archive. */
export const tarEnd = Buffer.alloc(2 * tarBlock);

export interface TarFile {
  name: string;
  body: Buffer;
  modifiedMs: number;
  /** Kept as the pax `comment`, which tools pass over without a word. */
  comment: string;
}

export function tarEntry(file: TarFile): Buffer[] {
  const records: [string, string][] = [['comment', file.comment]];
  const plain = Buffer.byteLength(file.name) <= 100 && /^[\x20-\x7e]+$/.test(file.name);
  if (!plain) records.push(['path', file.name]);
  const seconds = Math.floor(file.modifiedMs / 1000);
  const extended = Buffer.concat(records.map(([key, value]) => paxRecord(key, value)));
  const shortName = plain ? file.name : `${file.name.replace(/[^\x20-\x7e]/g, '_').slice(0, 100)}`;
  return [
    tarHeader({ name: 'pax-header', size: extended.length, seconds, type: 'x' }),
    extended,
    padding(extended.length),
    tarHeader({ name: shortName, size: file.body.length, seconds, type: '0' }),
    file.body,
    padding(file.body.length),
  ];
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value.replace(/[\0\n]/g, ' ')}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

interface HeaderFields {
  name: string;
  size: number;
  seconds: number;
  type: '0' | 'x';
}

function tarHeader({ name, size, seconds, type }: HeaderFields): Buffer {
  const header = Buffer.alloc(tarBlock);
  header.write(name, 0, 100, 'latin1');
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  header.write(`${tarChecksum(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function padding(length: number): Buffer {
  return Buffer.alloc((tarBlock - (length % tarBlock)) % tarBlock);
}
