import { createHash } from 'node:crypto';
import { type Balance, WebfarerError } from '@webfarer/protocol';
import type { CrawlSurveys, SurveyPage, Tallies } from './api/call/crawl-surveys.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { frontierOf, type FrontierOfOptions } from './frontier-of.ts';
import { createKeptWorks, type KeptWork } from './kept-works.ts';
import { notRead, readOn, type ReadThrough } from './read-through.ts';
import type { ResultEntry, ResultKind } from './results/results.ts';

/** A request works about this long, and answers how far it has come. */
const stepMs = 300;
/** Of each kind: one that is not ready holds at most a few tens of megabytes, one that is ready a few kilobytes. */
const mostKept = 4;
const keptMs = 15 * 60_000;

interface Tally<Figures> {
  kinds: readonly ResultKind[];
  take(entry: ResultEntry): void;
  figures(): Figures;
}

interface Survey<Figures> extends KeptWork {
  atMs: number;
  balance: Balance;
  through: ReadThrough;
  tally: Tally<Figures> | undefined;
  figures: Figures | undefined;
}

export interface CrawlSurveysOptions extends FrontierOfOptions {
  tallies: Tallies;
}

/**
 * Counts what the results of a crawl say, by reading them once from front to back. That work is done by the requests that ask
 * for it, a step in each, so that nothing runs for a reader who is gone. What was counted is kept under the place in the
 * results up to which it was, so that a crawl that has not moved on is not read again.
 */
export function createCrawlSurveys(options: CrawlSurveysOptions): CrawlSurveys {
  const { clock, tallies } = options;
  const { reading } = frontierOf(options);

  const statistics = createSurveyKind(() => {
    const counted = tallies.statistics();
    return {
      kinds: ['record'],
      take: (entry) => (entry.kind === 'record' ? counted.add(entry.record) : undefined),
      figures: () => counted.figures(),
    };
  });
  const hostGraph = createSurveyKind(() => {
    const counted = tallies.hostGraph();
    return {
      kinds: ['record', 'links'],
      take(entry) {
        if (entry.kind === 'record') counted.addRecord(entry.record);
        if (entry.kind === 'links') counted.addLinks(entry.url, entry.links.edges);
      },
      figures: () => counted.figures(),
    };
  });

  function createSurveyKind<Figures>(begin: () => Tally<Figures>): SurveyKind<Figures> {
    const kept = createKeptWorks<Survey<Figures>>({ clock, mostKept, keptMs });

    /** The survey of the crawl as it is now. Its id follows from that: other coordinators name it the same. */
    async function beginNow(entry: CatalogEntry): Promise<Survey<Figures>> {
      const [balance, newest] = await reading(entry, async (from) =>
        Promise.all([from.balance(entry.id), from.results.newest(entry.id)]),
      );
      const place = JSON.stringify([entry.nonce, balance, newest]);
      const id = createHash('sha256').update(place).digest('base64url').slice(0, 16);
      const found = kept.get(id);
      if (found) return found;
      const atMs = Math.round(clock.now());
      const survey: Survey<Figures> = {
        id,
        atMs,
        usedAtMs: atMs,
        balance,
        through: notRead(entry, balance.known),
        tally: begin(),
        figures: undefined,
        isReady: false,
        turn: Promise.resolve(),
        close() {
          survey.tally = undefined;
        },
      };
      kept.add(survey);
      return survey;
    }

    async function step(survey: Survey<Figures>): Promise<void> {
      const { tally, through } = survey;
      if (!tally) return;
      await readOn(through, {
        reading,
        clock,
        untilMs: clock.now() + stepMs,
        kinds: tally.kinds,
        take: (entries) => entries.forEach((entry) => tally.take(entry)),
      });
      if (!through.isRead) return;
      survey.figures = tally.figures();
      survey.tally = undefined;
      survey.isReady = true;
    }

    return {
      forget: (nonce) => kept.dropWhere(({ through }) => through.entry.nonce === nonce),
      close: () => kept.close(),
      async ask(entry, id) {
        kept.dropOld();
        const isMeant = ({ through: { entry: read } }: Survey<Figures>) => read.nonce === entry.nonce;
        // Each request may reach another coordinator, and a crawl that runs is never found as another one has left it:
        // all of them get on with what they have begun, and whoever is ready first answers.
        const survey =
          kept.get(id) ?? kept.find((each) => !each.isReady && isMeant(each)) ?? (await beginNow(entry));
        if (!isMeant(survey)) throw gone();
        await kept.take(survey, step);
        if (!kept.has(survey)) throw gone();
        const { atMs, isReady, balance, figures, through } = survey;
        return { id: survey.id, atMs, isReady, read: through.read, absent: through.absent, balance, figures };
      },
    };
  }

  return {
    statistics: (entry, id) => statistics.ask(entry, id),
    hostGraph: (entry, id) => hostGraph.ask(entry, id),
    forget({ nonce }) {
      for (const { forget } of [statistics, hostGraph]) forget(nonce);
    },
    close() {
      for (const { close } of [statistics, hostGraph]) close();
    },
  };
}

interface SurveyKind<Figures> {
  forget(nonce: CatalogEntry['nonce']): void;
  close(): void;
  ask(entry: CatalogEntry, id: string): Promise<SurveyPage<Figures>>;
}

function gone(): WebfarerError {
  return new WebfarerError('cursor-stale', 'these figures are no longer kept, and the crawl has moved on', {
    next: 'Leave out id to count anew.',
  });
}
