import { constants, createGunzip } from 'node:zlib';
import { lastingBytes } from '../bytes/growing-bytes.ts';
import { charsetOf, textSlices } from './charset.ts';
import { createXmlReader, maxUrlLength, maxUrls, type SitemapLink } from './sitemap-xml.ts';
import { nextTurn } from './turns.ts';

export type { SitemapLink } from './sitemap-xml.ts';

/** The limit of the sitemap protocol, unpacked. */
const maxBytes = 50 * 1024 * 1024;
/** What is read before others get a turn: a few milliseconds' work, however hostile. */
const sliceBytes = 32_768;

/**
 * The URLs of a sitemap, an index of sitemaps, an RSS or Atom feed, or a plain list, a few at a time; gzip
 * is undone. What is none of these gives none. Never throws, and never holds up the process: between two
 * batches everything else has its turn. The tokenizer keeps no stack, so nesting costs nothing.
 */
export async function* readSitemap(body: Buffer): AsyncGenerator<SitemapLink[]> {
  let reader: Reader | undefined;
  let text: ((slice: Buffer, last: boolean) => string) | undefined;
  for await (const slice of slicesOf(body)) {
    text ??= textSlices(charsetOf(slice, { xml: true }));
    const next = text(slice, false);
    reader ??= readerFor(next);
    reader.write(next);
    const found = reader.take();
    if (found.length > 0) yield found;
    if (reader.done) return;
  }
  if (!reader || !text) return;
  reader.write(text(Buffer.alloc(0), true));
  reader.end();
  const rest = reader.take();
  if (rest.length > 0) yield rest;
}

type Reader = ReturnType<typeof createXmlReader>;

const readerFor = (start: string): Reader =>
  /^[\s\ufeff]*</.test(start.slice(0, 1_000)) ? createXmlReader() : createListReader();

/** The links of a feed that was fetched as a page, all at once; what is beyond the first slices is left. */
export function readFeed(text: string): SitemapLink[] {
  const reader = createXmlReader();
  reader.write(text.slice(0, maxFeedLength));
  reader.end();
  return reader.take();
}

/** A feed lists what is new. This much of it is read in some ten milliseconds. */
const maxFeedLength = 1_000_000;

/** A body, unpacked, in slices with a turn for others between them. */
async function* slicesOf(body: Buffer): AsyncGenerator<Buffer> {
  if (body[0] === 0x1f && body[1] === 0x8b) return yield* unpacked(body);
  const end = Math.min(body.length, maxBytes);
  for (let at = 0; at < end; at += sliceBytes) {
    if (at > 0) await nextTurn();
    yield body.subarray(at, Math.min(end, at + sliceBytes));
  }
}

async function* unpacked(body: Buffer): AsyncGenerator<Buffer> {
  // A missing end is no error: what came before it counts, and what came before damage as well.
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: sliceBytes });
  // A copy: the memory of a large body may be given back while a thread still works on what nobody waits for.
  stream.end(lastingBytes(body));
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield chunk.subarray(0, maxBytes - size);
      size += chunk.length;
      if (size >= maxBytes) return;
      // Chunks that are ready already would follow each other without a pause.
      await nextTurn();
    }
  } catch {
    return;
  } finally {
    stream.destroy();
  }
}

/** A plain list: one URL a line. */
function createListReader(): Reader {
  let links: SitemapLink[] = [];
  let count = 0;
  let tail = '';
  let done = false;
  function line(written: string): void {
    const url = written.replace(/^\ufeff/, '').trim();
    if (url.length > maxUrlLength || !/^https?:\/\/\S+$/i.test(url)) return;
    links.push({ url, kind: 'page' });
    count += 1;
    done ||= count >= maxUrls;
  }
  return {
    get done() {
      return done;
    },
    write(next) {
      const lines = (tail + next).split(/[\r\n]+/);
      // A line that goes on for longer than any URL is none, whatever is still to come of it.
      tail = (lines.pop() ?? '').slice(0, maxUrlLength * 2);
      for (const each of lines) if (!done) line(each);
    },
    end() {
      if (!done) line(tail);
      done = true;
    },
    take() {
      const taken = links;
      links = [];
      return taken;
    },
  };
}
