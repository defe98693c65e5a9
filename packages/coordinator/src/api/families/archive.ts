import { WebfarerError } from '@webfarer/protocol';
import type { resultRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import { filesIn, openFile } from '../archive/archive-files.ts';
import { rangeIn } from '../archive/archive-range.ts';
import { checkStep, isWarc } from '../archive/check-archive.ts';
import type { HandlersOf } from '../call/call.ts';

type ArchiveRoutes = Pick<typeof resultRoutes, 'listFiles' | 'downloadFile' | 'checkFile' | 'readCapture'>;

/** What a crawl wrote for people to keep. */
export function archiveHandlers({ stream: { homes }, archiveReader }: ApiParts): HandlersOf<ArchiveRoutes> {
  return {
    async listFiles({ params, query: { after, limit } }) {
      const files = (await filesIn(await homes.folderOf(params.crawl))).filter(({ path }) => path > after);
      const items = files.slice(0, limit);
      const last = items.at(-1)?.path;
      return { items, ...(files.length > limit && last !== undefined ? { next: last } : {}) };
    },
    async downloadFile({ params, header }) {
      const file = await openFile(await homes.folderOf(params.crawl), params.file);
      const { bytes, etag } = file;
      const about = {
        'accept-ranges': 'bytes',
        etag,
        // Whatever a site sent, a browser only saves it.
        'content-disposition': 'attachment',
      };
      const ifRange = header('if-range');
      const range = rangeIn(ifRange === undefined || ifRange === etag ? header('range') : undefined, bytes);
      if (range === 'unsatisfiable') {
        await file.close();
        const headers = { ...about, 'content-range': `bytes */${bytes}`, 'content-length': '0' };
        return { status: 416, headers, bytes: nothing() };
      }
      const { first, last } = range ?? { first: 0, last: bytes - 1 };
      const headers: Record<string, string> = { ...about, 'content-length': String(last - first + 1) };
      if (range) headers['content-range'] = `bytes ${first}-${last}/${bytes}`;
      return { status: range ? 206 : 200, headers, bytes: file.read(first, last) };
    },
    async checkFile({ params, query: { from } }) {
      const folder = await homes.folderOf(params.crawl);
      if (!isWarc(params.file) || !archiveReader) throw notRead(params.file, 'be checked');
      const file = await openFile(folder, params.file);
      try {
        return { bytes: file.bytes, ...(await checkStep(file, from, archiveReader.check)) };
      } finally {
        await file.close();
      }
    },
    async readCapture({ params, query: { offset } }) {
      const folder = await homes.folderOf(params.crawl);
      if (!isWarc(params.file) || !archiveReader) throw notRead(params.file, 'be read by captures');
      const file = await openFile(folder, params.file);
      try {
        const body = await archiveReader.body(file, { offset, maxBytes: mostOfBody });
        const headers = {
          'content-disposition': 'attachment',
          'content-length': String(body.length),
        };
        return { status: 200, headers, bytes: only(body) };
      } finally {
        await file.close();
      }
    },
  };
}

/** Of one capture: the request holds it in memory. */
const mostOfBody = 16 * 1024 * 1024;

function notRead(path: string, how: string): WebfarerError {
  return new WebfarerError('usage', `${JSON.stringify(path.slice(0, 200))} is not a file that can ${how}`, {
    next: `WARC files can ${how}.`,
  });
}

async function* only(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}

async function* nothing(): AsyncIterable<Uint8Array> {}
