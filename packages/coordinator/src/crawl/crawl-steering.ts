import { WebfarerError } from '@webfarer/protocol';
import { mergePatch } from '@webfarer/protocol/job';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Wanted } from '../folder/wanted-state.ts';
import type { CrawlControl, KnownWishes } from './crawl-control.ts';
import type { EndDecision } from './end-decision.ts';
import { ignoreStorageTrouble } from './crawl-life.ts';
import type { CrawlParts } from './crawl-parts.ts';
import type { CrawlProgress } from './crawl-progress.ts';
import type { JobInForce } from './job-in-force.ts';
import type { RunningCrawl } from './running-crawl.ts';

export interface CrawlSteeringOptions {
  parts: Pick<CrawlParts, 'manifest' | 'entry' | 'frontier' | 'shared'>;
  inForce: JobInForce;
  progress: CrawlProgress;
  control: CrawlControl;
  end: EndDecision;
  /** Resolves when the crawl runs, or has paused, as was wanted at first. */
  begun: Promise<void>;
  /** Resolves or rejects when nothing of it is open any more. */
  ended: () => Promise<unknown>;
}

/** What operators, the crawl's folder and its entry in the catalog want of a crawl that runs. */
export interface CrawlSteering
  extends KnownWishes,
    Pick<RunningCrawl, 'pause' | 'resume' | 'stop' | 'leave' | 'left' | 'followEntry'> {
  /** Applies an order that was left in its folder. */
  obey(wanted: Wanted): Promise<void>;
}

export function steerCrawl(options: CrawlSteeringOptions): CrawlSteering {
  const { inForce, progress, control, end, begun } = options;
  const { manifest, entry, frontier, shared } = options.parts;
  let left = false;
  /** The latest version of the entry that is known here. */
  let known = entry.enteredAs ?? 0;

  async function want(state: 'running' | 'paused' | 'stopped'): Promise<number | undefined> {
    const wish = await entry.want(state);
    known = Math.max(known, wish ?? 0);
    return wish;
  }

  /** Before what is in flight is waited for: by then an operator may have resumed the crawl at another coordinator. */
  async function stopInStore(): Promise<void> {
    const wish = await want('stopped');
    if (!shared || progress.state === 'finished') return;
    await frontier.setState(manifest.id, 'stopped', wish);
  }

  /** An order that comes while the crawl is being begun is carried out after that; one that comes too late is not. */
  async function steer(wanted: 'running' | 'paused'): Promise<void> {
    const wish = await want(wanted);
    await begun;
    if (!end.isEnding) await control.setState(wanted, wish);
  }

  async function obeyEntry({ wanted, version }: CatalogEntry): Promise<void> {
    // It was read before an order that was given here.
    if (version < known) return;
    known = version;
    // Whoever stopped it has told the store.
    if (wanted === 'stopped') end.as('stopped');
    if ((wanted === 'paused' || wanted === 'running') && wanted !== progress.state)
      await control.setState(wanted, version);
  }

  async function followEntry(latest: CatalogEntry): Promise<void> {
    await begun;
    try {
      if (!end.isEnding) await inForce.follow(latest);
    } finally {
      // Also where this version refuses the job.
      if (!end.isEnding) await obeyEntry(latest);
    }
  }

  async function leave({ now = false }: { now?: boolean } = {}): Promise<void> {
    if (now) end.hurry();
    left = true;
    end.as('stopped');
    await options.ended().catch(() => undefined);
  }

  return {
    get left() {
      return left;
    },
    get known() {
      return entry.enteredAs === undefined ? undefined : known;
    },
    leave,
    pause: () => steer('paused'),
    async resume() {
      if (end.over.aborted)
        throw new WebfarerError('usage', `the crawl ${manifest.name} has ended`, {
          next: 'Resume it by its name, at its coordinator.',
        });
      await steer('running');
    },
    async stop(how) {
      await stopInStore();
      await leave(how);
    },
    async obey(wanted) {
      if (typeof wanted === 'object') {
        await begun;
        const input = mergePatch(manifest.job, wanted.changes);
        return await inForce.edit({ input, rescope: wanted.rescope, by: 'webfarer edit' });
      }
      if (wanted !== 'stopped') return await steer(wanted);
      await stopInStore().catch(ignoreStorageTrouble);
      end.as('stopped');
    },
    followEntry,
    async catchUp() {
      const latest = await entry.latest();
      // Whoever follows the catalog reports a job that cannot be followed.
      if (latest) await followEntry(latest).catch(() => undefined);
    },
  };
}
