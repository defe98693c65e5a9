import { createHash } from 'node:crypto';
import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { SnapshotCause } from '@webfarer/protocol/api';
import type { Source, SourceFrame, SourceOptions } from './source.ts';

/** A state that is shown as documents by key: the fields of a snapshot, hosts by name, crawls by id. */
export type Documents = ReadonlyMap<string, unknown>;

/** A state at one moment, each document as JSON, so that two states are compared quickly. */
interface Moment {
  token: string;
  documents: Documents;
  texts: ReadonlyMap<string, string>;
}

/** One state that many subscriptions show: it is read, compared and put into frames once for all of them. */
export interface SharedDocuments {
  /** As it is now, or was a moment ago. */
  look(): Promise<Moment>;
  /** What a reader with this token has; undefined: no longer kept, or of another coordinator and another state. */
  earlier(token: string): Moment | undefined;
  /** The same frames for everyone who asks. */
  snapshot(moment: Moment, why: SnapshotCause): readonly SourceFrame[];
  delta(before: Moment, now: Moment): readonly SourceFrame[];
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
  /** Of the latest moment that anyone was shown; by the cause of a snapshot, or the token before a difference. */
  let made = { moment: undefined as Moment | undefined, frames: new Map<string, readonly SourceFrame[]>() };
  let latest: { moment: Moment; atMs: number } | undefined;
  let reading: Promise<Moment> | undefined;

  async function readNow(): Promise<Moment> {
    const documents = await read();
    const moment = momentOf(documents, latest?.moment);
    const known = moments.get(moment.token) ?? moment;
    moments.delete(known.token);
    moments.set(known.token, known);
    if (moments.size > keptMoments) moments.delete(moments.keys().next().value ?? '');
    latest = { moment: known, atMs: clock.now() };
    return known;
  }

  function framesOf(
    moment: Moment,
    name: string,
    make: () => readonly SourceFrame[],
  ): readonly SourceFrame[] {
    if (made.moment !== moment) made = { moment, frames: new Map() };
    const frames = made.frames.get(name) ?? make();
    made.frames.set(name, frames);
    return frames;
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
    snapshot: (moment, why) => framesOf(moment, why, () => [...snapshotOf(moment, why)]),
    delta: (before, now) => framesOf(now, `behind ${before.token}`, () => [deltaOf(before, now)]),
  };
}

/**
 * The same state has the same token at every coordinator and in every generation: it names what it shows. Of a list that
 * is the same object nothing is encoded again, of one that has changed only the documents that have.
 */
function momentOf(documents: Documents, last: Moment | undefined): Moment {
  if (last?.documents === documents) return last;
  const texts = new Map<string, string>();
  const hash = createHash('sha256');
  for (const key of [...documents.keys()].sort()) {
    const value = documents.get(key);
    const known = isObject(value) && last?.documents.get(key) === value ? last.texts.get(key) : undefined;
    const text = known ?? JSON.stringify(value) ?? 'null';
    texts.set(key, text);
    hash.update(`${key.length}:${key}${text.length}:${text}`);
  }
  return { token: hash.digest('base64url').slice(0, 22), documents, texts };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

export interface FollowDocumentsOptions extends Omit<SourceOptions, 'gate'> {
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
    yield* documents.snapshot(first, after === undefined ? 'first' : 'too-old');
    shown = first;
  }
  for (let saidAtMs = clock.now(); !signal.aborted; ) {
    const now = await lookInPeace(options);
    if (now.token !== shown.token) {
      yield* documents.delta(shown, now);
      [shown, saidAtMs] = [now, clock.now()];
    } else if (clock.now() - saidAtMs >= heartbeatMs) {
      yield { type: 'bookmark', token: shown.token };
      saidAtMs = clock.now();
    }
    await clock.sleep(minIntervalMs, signal).catch(() => undefined);
  }
}

function* snapshotOf({ token, texts }: Moment, why: SnapshotCause): Generator<SourceFrame> {
  const entries = [...texts];
  for (let from = 0; from === 0 || from < entries.length; from += frameKeys) {
    const more = from + frameKeys < entries.length;
    const set = parsed(entries.slice(from, from + frameKeys));
    yield { type: 'snapshot', why, set, more, token: more ? partToken : token } as const;
  }
}

function deltaOf(before: Moment, { token, texts }: Moment): SourceFrame {
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
