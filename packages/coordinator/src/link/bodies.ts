import { createHash, type Hash } from 'node:crypto';
import {
  type CrawlId,
  type LeaseReport,
  type PageRecord,
  type PageResource,
  type ReportAnswer,
  type SavedAt,
  type Settlement,
  WebfarerError,
} from '@webfarer/protocol';
import { allSaved } from '@webfarer/protocol/crawl';
import type { Request, SentBody, Trust } from '@webfarer/protocol/link';

/** Where captures that workers send are kept. */
export interface BodyIntake {
  /** Of one capture. */
  readonly mostBytes: number;
  arriving(): ArrivingBody;
  /** What has its place before the call is on disk when it resolves. */
  sync(): Promise<void>;
}

export interface ArrivingBody {
  add(piece: Buffer): Promise<void>;
  /** Undefined: it is no capture. `strict`: all of it is read, and the answer says what it is of. */
  end(options: { strict: boolean }): Promise<PlacedBody | undefined>;
  drop(): Promise<void>;
}

export interface PlacedBody {
  at: SavedAt;
  claim?: { url: string; digest: string | undefined };
}

/** What one worker has sent over one connection: bodies first, then the reports that they belong to. */
export interface Bodies {
  take(frame: Extract<Request, { type: 'bodies' }>): Promise<null>;
  /** Passes reports on with the places that their bodies have here, once these are on disk. */
  settle(
    reports: LeaseReport[],
    report: (placed: LeaseReport[]) => Promise<ReportAnswer[]>,
  ): Promise<ReportAnswer[]>;
  leave(): void;
}

export interface BodiesOptions {
  trust: Trust;
  /** `unwanted`: the crawl is over, nothing more is kept of it. Throws where it cannot be kept now. */
  intakeOf: (crawl: CrawlId) => Promise<BodyIntake | 'unwanted'> | BodyIntake;
}

/** Bodies that no report has named yet. */
const mostPlaced = 10_000;
/** Bodies of which only a part has come. */
const mostArriving = 8;

interface Arriving {
  body: ArrivingBody;
  hash: Hash;
  at: number;
}

type Placed = (PlacedBody & { intake: BodyIntake }) | 'unwanted';

export function createBodies({ trust, intakeOf }: BodiesOptions): Bodies {
  const arriving = new Map<string, Arriving>();
  const placed = new Map<string, Placed>();
  /** Pieces of a body come one after the other, whoever sends them. */
  let turn: Promise<unknown> = Promise.resolve();

  async function takePiece(sent: SentBody, piece: Buffer): Promise<void> {
    const key = keyOf(sent.crawl, sent.place);
    if (placed.has(key)) return;
    const intake = await intakeOf(sent.crawl);
    if (intake === 'unwanted') return void placed.set(key, 'unwanted');
    requireRoom(sent, intake);
    const part = await partOf(key, sent, intake);
    try {
      await part.body.add(piece);
      part.hash.update(piece);
      part.at += piece.length;
      if (part.at < sent.bytes) return;
      if (part.hash.digest('hex') !== sent.digest)
        throw misuse(`its digest does not match the announced one`);
      const done = await part.body.end({ strict: trust !== 'own' });
      if (!done) throw misuse('it is not a capture');
      arriving.delete(key);
      placed.set(key, { ...done, intake });
    } catch (error) {
      await forget(key);
      throw error;
    }
  }

  function requireRoom({ bytes, at, length }: SentBody, { mostBytes }: BodyIntake): void {
    if (at + length > bytes) throw misuse('a piece is longer than its body');
    if (bytes > mostBytes)
      throw new WebfarerError('frame-limit', `a body has ${bytes} bytes, more than ${mostBytes}`);
    if (placed.size >= mostPlaced)
      throw new WebfarerError('frame-limit', `${mostPlaced} bodies arrived that no report refers to`);
  }

  async function partOf(key: string, { at }: SentBody, intake: BodyIntake): Promise<Arriving> {
    // It begins anew: what came before was cut off.
    if (at === 0) await forget(key);
    const there = arriving.get(key);
    if ((there?.at ?? 0) !== at)
      throw misuse(`a piece begins at ${at}, but ${there?.at ?? 0} bytes have arrived`);
    if (there) return there;
    if (arriving.size >= mostArriving) throw misuse(`${mostArriving} others are incomplete`);
    const part = { body: intake.arriving(), hash: createHash('sha256'), at: 0 };
    arriving.set(key, part);
    return part;
  }

  async function forget(key: string): Promise<void> {
    const part = arriving.get(key);
    arriving.delete(key);
    await part?.body.drop();
  }

  async function takeAll(bodies: readonly SentBody[], data: string): Promise<null> {
    const bytes = Buffer.from(data, 'base64');
    const named = bodies.reduce((sum, { length }) => sum + length, 0);
    if (named !== bytes.length) throw misuse(`${named} bytes were announced, ${bytes.length} arrived`);
    let at = 0;
    for (const sent of bodies) await takePiece(sent, bytes.subarray(at, (at += sent.length)));
    return null;
  }

  /** Where a body that a record names is by now. A stranger's word for any other place counts nothing. */
  function placeOf(at: SavedAt, crawl: CrawlId, record: PageRecord | PageResource, used: Used): SavedAt[] {
    if (at.spooled === undefined) return trust === 'own' ? [at] : [];
    const key = keyOf(crawl, `${at.file}@${at.offset}`);
    const found = placed.get(key);
    if (!found) throw misuse(`that of ${record.url} has not arrived`);
    used.keys.push(key);
    if (found === 'unwanted') return [];
    const { claim } = found;
    if (claim && (claim.url !== record.url || claim.digest !== record.digest))
      throw misuse(`it does not belong to ${record.url}`);
    used.intakes.add(found.intake);
    if (trust !== 'own') return [found.at];
    const { revisit, renditions } = at;
    return [{ ...found.at, ...(revisit ? { revisit } : {}), ...(renditions ? { renditions } : {}) }];
  }

  function withPlaces(report: LeaseReport, used: Used): LeaseReport {
    // Most reports name none: they are not copied for nothing.
    if (trust === 'own' && !report.settled.some(namesSpooled)) return report;
    const settled = report.settled.map((one) => {
      if (one.kind !== 'outcome' || allSaved(one.record).length === 0) return one;
      const { saved = [], resources = [], ...record } = one.record;
      const places = (of: PageRecord | PageResource, list: SavedAt[]): SavedAt[] =>
        list.flatMap((at) => placeOf(at, report.crawl, of, used));
      const own = places(one.record, saved);
      // Only who is trusted may bring captures of URLs that it has no lease for.
      const loaded = resources
        .map((resource) => ({ ...resource, saved: places(resource, resource.saved) }))
        .filter((resource) => trust === 'own' && resource.saved.length > 0);
      return {
        ...one,
        record: {
          ...record,
          ...(own.length > 0 ? { saved: own } : {}),
          ...(loaded.length > 0 ? { resources: loaded } : {}),
        },
      };
    });
    return { ...report, settled };
  }

  return {
    take({ bodies, data }) {
      const done = turn.then(() => takeAll(bodies, data));
      turn = done.catch(() => undefined);
      return done;
    },
    async settle(reports, report) {
      const used: Used = { keys: [], intakes: new Set() };
      const sent = reports.map((one) => withPlaces(one, used));
      await Promise.all(Array.from(used.intakes, (intake) => intake.sync()));
      const answers = await report(sent);
      for (const key of used.keys) placed.delete(key);
      return answers;
    },
    leave() {
      for (const key of arriving.keys()) void forget(key).catch(() => undefined);
    },
  };
}

/** What the bodies of some reports were found by, and where they are. */
interface Used {
  keys: string[];
  intakes: Set<BodyIntake>;
}

function namesSpooled(one: Settlement): boolean {
  return one.kind === 'outcome' && allSaved(one.record).some(({ spooled }) => spooled !== undefined);
}

function keyOf(crawl: CrawlId, place: string): string {
  return `${crawl}\n${place}`;
}

function misuse(what: string): WebfarerError {
  return new WebfarerError('frame-invalid', `a body was rejected: ${what}`);
}
