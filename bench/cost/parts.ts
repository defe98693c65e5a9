import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '../../test/redis/servers.ts';
import type { Site } from '../broad/site.ts';
import type { Taken } from './figures.ts';
import type { Side } from './side.ts';
import { pagesTrial, startTrial, storeTrial, tenPagesTrial, type Trial } from './trials.ts';
import { startWaiting } from './waiting.ts';
import { startWeb, type Web } from './web.ts';

/**
 * Pages that are almost nothing show what each page costs by itself, and there are enough of them for V8 to be done with
 * compiling; the others are those of `bench broad`, fewer.
 */
export const sites = {
  tiny: { hosts: 64, pagesPerHost: 90, linksPerPage: 4, pageBytes: 600 },
  small: { hosts: 64, pagesPerHost: 30, linksPerPage: 20, pageBytes: 5_000 },
  medium: { hosts: 64, pagesPerHost: 18, linksPerPage: 61, pageBytes: 26_000 },
} satisfies Record<string, Site>;

export const trialNames = [
  'tiny',
  'small',
  'small-warc',
  'medium',
  'medium-warc',
  'ten',
  'start',
  'redis',
  'waiting',
] as const;
export type TrialName = (typeof trialNames)[number];

/** What a comparison runs, with everything that it needs started. */
export interface Parts {
  sides: [Side, Side];
  trials: Trial[];
  /** One of them: that of pages that are almost nothing. */
  tiny: Trial | undefined;
  /** Goes on all the time: a round of it is the time since the one before. */
  waiting: Trial | undefined;
  close(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

export async function openParts(
  commands: Record<Side['name'], string>,
  only: ReadonlySet<TrialName>,
  under: string,
): Promise<Parts> {
  const opened: Stoppable[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.stop();
  };
  const keep = async <T extends Stoppable>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    opened.push(one);
    return one;
  };
  const webs = new Map<keyof typeof sites, Promise<Web>>();
  const web = (name: keyof typeof sites): Promise<Web> => {
    const found = webs.get(name) ?? keep(startWeb(sites[name]));
    webs.set(name, found);
    return found;
  };
  const servers = async () => ({ here: await keep(startRedis()), base: await keep(startRedis()) });
  const openers: Record<Exclude<TrialName, 'waiting'>, () => Promise<Trial>> = {
    tiny: async () => pagesTrial('page tiny', await web('tiny'), 'none'),
    small: async () => pagesTrial('page small', await web('small'), 'none'),
    'small-warc': async () => pagesTrial('page small, WARC', await web('small'), 'warc'),
    medium: async () => pagesTrial('page medium', await web('medium'), 'none'),
    'medium-warc': async () => pagesTrial('page medium, WARC', await web('medium'), 'warc'),
    ten: async () => tenPagesTrial(await web('small')),
    start: async () => startTrial,
    redis: async () => storeTrial(await web('small'), await servers()),
  };
  try {
    const sides = [sideOf('here', commands.here, under), sideOf('base', commands.base, under)] as [
      Side,
      Side,
    ];
    const names = trialNames.filter((name) => name !== 'waiting' && only.has(name));
    const trials: Trial[] = [];
    for (const name of names) trials.push(await openers[name as keyof typeof openers]());
    // Fills the folders of compiled code.
    const first = [startTrial, tenPagesTrial(await web('small'))];
    for (const trial of first) await atOnce(sides, 0, (side) => trial.run(side, 0));
    const tiny = trials[names.indexOf('tiny')];
    return { sides, trials, tiny, waiting: only.has('waiting') ? await openWaiting() : undefined, close };

    async function openWaiting(): Promise<Trial> {
      const [stores, small] = [await servers(), await web('small')];
      const started = await Promise.allSettled(
        sides.map((side) => keep(startWaiting(side, small, stores[side.name]))),
      );
      // Not Promise.all: where one fails, the other is to be stopped as well.
      const looks = started.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
      return { run: async (side) => (await looks[sides.indexOf(side)]?.look()) ?? {} };
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** Each side goes first in every second round. */
export async function atOnce(
  sides: readonly [Side, Side],
  round: number,
  run: (side: Side) => Promise<Taken>,
): Promise<Record<Side['name'], Taken>> {
  const order = round % 2 === 1 ? sides : sides.toReversed();
  const taken = await Promise.all(order.map(async (side) => [side.name, await run(side)] as const));
  return Object.fromEntries(taken) as Record<Side['name'], Taken>;
}

function sideOf(name: Side['name'], command: string, under: string): Side {
  const folder = join(under, name);
  mkdirSync(folder, { recursive: true });
  return { name, command, folder };
}
