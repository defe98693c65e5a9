import { type CrawlIntake, type IntakeParts, memberOf } from '@webfarer/coordinator';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { SaveTarget } from '@webfarer/protocol/job';
import { frameBounds } from '@webfarer/protocol/link';
import { openWarcIntake, saverOptions, type WarcIntake } from '@webfarer/worker';
import { version } from '../machine/version.ts';

type WarcTarget = Extract<SaveTarget, { kind: 'warc' }>;

/** Heads of records and of answers, and what packing adds to a body that cannot be made smaller. */
const besideBytes = 4 * 1024 * 1024;
const usualRotateBytes = 1e9;

function isWantedHere({ job }: Pick<IntakeParts, 'job'>): boolean {
  return job.save.some((target) => target.kind === 'warc' && target.at === 'coordinator');
}

/**
 * The archive of a crawl in the coordinator's folder, into which workers send what they captured. Mends at once what a
 * crash left, where bodies are wanted here; else when the
 * first body comes.
 */
export async function openCrawlIntake(parts: IntakeParts, clock: DatedClock): Promise<CrawlIntake> {
  const { open, ...intake } = createCrawlIntake(parts, clock);
  if (isWantedHere(parts)) await open();
  return intake;
}

function createCrawlIntake(parts: IntakeParts, clock: DatedClock): CrawlIntake & { open(): Promise<void> } {
  const member = memberOf(parts.manifest);
  const { fetch, render } = parts.job;
  const mostBytes = fetch.maxBodyBytes + besideBytes + (render === 'never' ? 0 : frameBounds.renditionBytes);
  const using = new Set<Promise<unknown>>();
  let opening: Promise<WarcIntake> | undefined;
  let opened: WarcIntake | undefined;
  let stopped = false;

  async function openNow(): Promise<WarcIntake> {
    const { folder, job, manifest, baseFolder } = parts;
    const warc = job.save.find((target): target is WarcTarget => target.kind === 'warc');
    const about = saverOptions({
      job,
      folder,
      baseFolder,
      clock,
      version,
      member,
      userAgent: manifest.userAgent,
    });
    opened = await openWarcIntake({
      ...about,
      rotateBytes: warc?.rotateBytes ?? usualRotateBytes,
      mostBytes,
    });
    return opened;
  }

  async function intake(): Promise<WarcIntake> {
    opening ??= openNow();
    return await opening.catch((error: unknown) => {
      // A full disk: the next body tries again.
      opening = undefined;
      throw error;
    });
  }

  /** Counted, so that the archive is never completed under it. */
  async function use<T>(work: (warc: WarcIntake) => Promise<T> | T): Promise<T> {
    if (stopped) throw new WebfarerError('store-silent', `the crawl ${parts.job.name} has been stopped here`);
    const done = intake().then(work);
    const seen = done.catch(() => undefined);
    using.add(seen);
    void seen.finally(() => using.delete(seen));
    return await done;
  }

  return {
    mostBytes,
    async open() {
      await intake();
    },
    arriving() {
      let capture: ReturnType<WarcIntake['arriving']> | undefined;
      return {
        add: (piece) => use((warc) => (capture ??= warc.arriving()).add(piece)),
        end: (how) =>
          use(async () => {
            const done = await capture?.end(how);
            return done && { ...done, at: { ...done.at, ...(member === undefined ? {} : { member }) } };
          }),
        drop: async () => await capture?.drop(),
      };
    },
    sync: () => use((warc) => warc.sync()),
    async stop() {
      stopped = true;
      await Promise.all(using);
      await opened?.stop();
    },
    written: () => opened?.written() ?? { files: 0, bytes: 0 },
  };
}
