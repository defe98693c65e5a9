import { type PageRecord, WebfarerError } from '@webfarer/protocol';
import { charsetOf, decodeText, htmlAt, isHtml, isXml } from '@webfarer/worker';
import { type CapturePlace, isReadable, openArchive } from '@webfarer/worker/archive';
import type { FolderReader } from '../crawl/local-port.ts';

/** As much of a record as it takes to read its body again. */
export type SavedPlace = Pick<PageRecord, 'url' | 'saved' | 'mime' | 'mimeDetected' | 'charset'>;

export interface SavedPages {
  /** The decoded body; undefined where this folder does not hold it. */
  body(page: Pick<PageRecord, 'saved'>): Promise<Buffer | undefined>;
  /** The same as text, in the charset that the crawl read it in; as a browser showed it where one did. */
  source(page: SavedPlace): Promise<string | undefined>;
}

/** The bodies of a crawl's pages as its savers kept them. The reader says which folder this is among those that share the crawl. */
export function openSavedPages(
  folder: string,
  { member, objects }: Pick<FolderReader, 'member' | 'objects'>,
): SavedPages {
  const archive = openArchive(folder, objects);
  async function body({ saved = [] }: Pick<PageRecord, 'saved'>): Promise<Buffer | undefined> {
    for (const at of saved) {
      if (!isReadable(at, member)) continue;
      // The body of a revisit is where it was first seen, which may be the archive of an earlier crawl.
      const place: CapturePlace | undefined = at.revisit ? at.revisit.original : at;
      if (!place) continue;
      try {
        const pieces: Buffer[] = [];
        for await (const piece of archive.read(place, 'body')) pieces.push(piece);
        return Buffer.concat(pieces);
      } catch (error) {
        if (!(error instanceof WebfarerError && error.code === 'not-found')) throw error;
      }
    }
    return undefined;
  }
  async function shown({ saved = [] }: SavedPlace): Promise<string | undefined> {
    const at = saved.find((place) => place.renditions && isReadable(place, member));
    return at && (await htmlAt(archive, at));
  }
  return {
    body,
    async source(page) {
      const html = await shown(page);
      if (html !== undefined) return html;
      const bytes = await body(page);
      if (!bytes) return undefined;
      return decodeText(bytes, page.charset ?? charsetOf(bytes, { xml: isXml(typeOf(page)), url: page.url }));
    },
  };
}

export function typeOf({ mime, mimeDetected }: Pick<SavedPlace, 'mime' | 'mimeDetected'>): string {
  return mime ?? mimeDetected ?? '';
}

/** A page that was answered and read, and has HTML to look into. */
export function isReadPage(record: PageRecord): boolean {
  const { kind, verdict, status = 0 } = record;
  return kind === 'page' && verdict !== 'refused' && status >= 200 && status < 300 && isHtml(typeOf(record));
}
