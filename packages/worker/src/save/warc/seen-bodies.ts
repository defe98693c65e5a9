import type { Revisit, SavedAt } from '@webfarer/protocol';
import { encodingsOf } from '../../bytes/headers.ts';
import type { Capture } from '../saver.ts';

/** Below this a reference is hardly smaller than the body. */
const minBytes = 2 * 1024;
/** About 8 MB. The oldest is forgotten first; what is forgotten is written whole once more. */
const maxBodies = 16_384;

/** A capture already written, as a later one refers to it. */
export interface SeenBody {
  revisit: Revisit;
  recordId?: string;
}

/**
 * Bodies of this session that another capture may refer to instead of repeating them. It is only a saving:
 * it begins empty after every start, and a capture that finds nothing here is written whole.
 */
export class SeenBodies {
  readonly #bodies = new Map<string, SeenBody>();

  find(capture: Capture): SeenBody | undefined {
    const key = keyOf(capture);
    return key === undefined ? undefined : this.#bodies.get(key);
  }

  /** To be called when the capture has its place: what is found later then always stands before the finder. */
  add(capture: Capture, at: SavedAt, recordId: string): void {
    const key = keyOf(capture);
    if (key === undefined || at.offset === undefined || at.length === undefined) return;
    const { entry, page, mime, digest } = capture;
    const { file, offset, length } = at;
    const original = { file, offset, length, status: page.status, mime };
    const revisit = { url: entry.url, startedAtMs: Math.round(page.startedAtMs), digest, original };
    this.#bodies.set(key, { revisit, recordId });
    if (this.#bodies.size <= maxBodies) return;
    for (const oldest of this.#bodies.keys()) {
      this.#bodies.delete(oldest);
      break;
    }
  }
}

/** Only whole bodies of good answers, and only those that readers would understand in the same way. */
function keyOf({ page, digest, mime }: Capture): string | undefined {
  if (page.body.length < minBytes || page.truncated || page.unread) return undefined;
  if (page.status < 200 || page.status > 299) return undefined;
  return `${digest} ${mime} ${encodingsOf(page) ?? ''}`;
}
