import { createHash } from 'node:crypto';
import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { SnapshotCause } from '@webfarer/protocol/api';
import type { Source, SourceOptions } from './source.ts';

/** A state that is shown as documents by key: the fields of a snapshot, hosts by name, crawls by id. */
export type Documents = ReadonlyMap<string, unknown>;

/** A state at one moment, each document as JSON, so that two states are compared quickly. */
interface Moment {
  token: string;
  texts: ReadonlyMap<string, string>;
}

/** One state that many subscriptions show: it is read once for all of them. */
export interface SharedDocuments {
  /** As it is now, or was a moment ago. */
  look(): Promise<Moment>;
  /** What a reader with this token has; undefined: no longer kept, or of another coordinator and another state. */
  earlier(token: string): Moment | undefined;
}

export interface SharedDocumentsOptions {
  read: () => Promise<Documents>;
  clock: Clock;
  /** A look that is not older serves everyone who asks. */
  freshMs: number;
}

/** Earlier states that a reader can continue from. */
const keptMoments = 16;
/** Keys of a frame; a longer snapshot comes in several. */
const frameKeys = 500;
/** A store that does not answer is asked again after this time. */
const troubleMs = 1_000;
/** The token of a snapshot that is not whole: it begins anew. */
const partToken = 'part';

export function shareDocuments({ read, clock, freshMs }: SharedDocumentsOptions): SharedDocuments {
  const moments = new Map<string, Moment>();
  let latest: { moment: Moment; atMs: number } | undefined;
  let reading: Promise<Moment> | undefined;

  async function readNow(): Promise<Moment> {
    const moment = momentOf(await read());
    const known = moments.get(moment.token) ?? moment;
    moments.delete(known.token);
    moments.set(known.token, known);
    if (moments.size > keptMoments) moments.delete(moments.keys().next().value ?? '');
    latest = { moment: known, atMs: clock.now() };
    return known;
  }

  return {
    async look() {
      if (latest && clock.now() - latest.atMs < freshMs) return latest.moment;
      reading ??= readNow().finally(() => {
        reading = undefined;
      });
      return await reading;
    },
    earlier: (token) => moments.get(token),
  };
}

/** The same state has the same token at every coordinator and in every generation: it names what it shows. */
function momentOf(documents: Documents): Moment {
  const texts = new Map<string, string>();
  for (const key of [...documents.keys()].sort())
    texts.set(key, JSON.stringify(documents.get(key)) ?? 'null');
  const hash = createHash('sha256');
  for (const [key, text] of texts) hash.update(`${key.length}:${key}${text.length}:${text}`);
  return { token: hash.digest('base64url').slice(0, 22), texts };
}

export interface FollowDocumentsOptions extends SourceOptions {
  documents: SharedDocuments;
  clock: Clock;
  /** Between two frames, at least. */
  minIntervalMs: number;
}

/**
 * A snapshot, then what differs from what was shown last. However many states there were in between, only the difference
 * is told: that is all the coalescing there is.
 */
export async function* followDocuments(options: FollowDocumentsOptions): Source {
  const { documents, after, signal, clock, minIntervalMs, heartbeatMs } = options;
  let shown = after === undefined ? undefined : documents.earlier(after);
  const first = await lookInPeace(options);
  // Equal states have equal tokens: a reader that comes from another coordinator may have this very one.
  shown ??= first.token === after ? first : undefined;
  if (shown) yield { type: 'resumed', token: shown.token };
  else {
    yield* snapshotOf(first, after === undefined ? 'first' : 'too-old');
    shown = first;
  }
  for (let saidAtMs = clock.now(); !signal.aborted; ) {
    const now = await lookInPeace(options);
    if (now.token !== shown.token) {
      yield deltaOf(shown, now);
      [shown, saidAtMs] = [now, clock.now()];
    } else if (clock.now() - saidAtMs >= heartbeatMs) {
      yield { type: 'bookmark', token: shown.token };
      saidAtMs = clock.now();
    }
    await clock.sleep(minIntervalMs, signal).catch(() => undefined);
  }
}

function* snapshotOf({ token, texts }: Moment, why: SnapshotCause) {
  const entries = [...texts];
  for (let from = 0; from === 0 || from < entries.length; from += frameKeys) {
    const more = from + frameKeys < entries.length;
    const set = parsed(entries.slice(from, from + frameKeys));
    yield { type: 'snapshot', why, set, more, token: more ? partToken : token } as const;
  }
}

function deltaOf(before: Moment, { token, texts }: Moment) {
  const changed = [...texts].filter(([key, text]) => before.texts.get(key) !== text);
  const removed = [...before.texts.keys()].filter((key) => !texts.has(key));
  return { type: 'delta', set: parsed(changed), removed, token } as const;
}

function parsed(entries: [string, string][]): Record<string, unknown> {
  return Object.fromEntries(entries.map(([key, text]) => [key, JSON.parse(text) as unknown]));
}

/** While the store cannot be read, nothing changes for those who look. */
async function lookInPeace({ documents, clock, signal }: FollowDocumentsOptions): Promise<Moment> {
  for (;;) {
    try {
      return await documents.look();
    } catch (error) {
      if (!isStorageTrouble(error) || signal.aborted) throw error;
      await clock.sleep(troubleMs, signal);
    }
  }
}
