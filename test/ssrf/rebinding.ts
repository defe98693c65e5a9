import { createEgress } from '@webfarer/worker';
import { type DatedClock, systemClock } from '@webfarer/protocol';
import { ask, each } from './direct.ts';
import type { Zone } from './names.ts';
import { allowedAddress, allowedSix, lostAddress } from './places.ts';
import { forbiddenPlaces, forbiddenSixes } from './spellings.ts';

/** Answers are kept for half a minute at least; this much passes between two fetches. */
const hopMs = 3_700_000;

/** Fetches of one round; all of other names. */
const atOnce = 32;

const carriedSixes = [
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2a00::5efe:7f00:1',
  '::7f00:1',
];
const sixes = [...forbiddenSixes, ...carriedSixes];

type Answer = (turn: number, name: number) => Zone;

const pick = <T>(list: readonly T[], turn: number): T => list[turn % list.length] as T;
const shuffled = (list: string[], turn: number): string[] => (turn % 2 === 0 ? list : list.toReversed());

/** How a name changes its mind; `turn` counts the questions about it, for each family. */
export const moods: Record<string, Answer> = {
  flip: (turn, n) => ({ addresses: [turn % 2 === 0 ? allowedAddress : pick(forbiddenPlaces, turn + n)] }),
  turned: (turn, n) => ({ addresses: [turn === 0 ? allowedAddress : pick(forbiddenPlaces, n)] }),
  mixed: (turn, n) => ({ addresses: shuffled([allowedAddress, pick(forbiddenPlaces, turn + n)], turn) }),
  crowd: (turn, n) => ({ addresses: [...publicCrowd, pick(forbiddenPlaces, turn + n)] }),
  six: (turn, n) => ({ addresses: [turn % 2 === 0 ? allowedSix : pick(sixes, turn + n)] }),
  carried: (turn, n) => ({ addresses: [pick(carriedSixes, turn + n)] }),
  // The first family cannot be reached, so the other one is looked up.
  lost: (turn, n) => ({ addresses: [lostAddress, pick(sixes, turn + n)] }),
  families: (turn, n) => ({ addresses: [allowedAddress, pick(sixes, turn + n)] }),
  alias: (turn, n) => ({
    alias: 'inside.test',
    addresses: [turn % 2 === 0 ? allowedAddress : pick(forbiddenPlaces, turn + n)],
  }),
  elsewhere: (turn, n) => ({ alias: 'localhost', addresses: [pick(sixes, turn + n)] }),
};
/** More than are ever tried, so that the bad one would not be noticed by trying. */
const publicCrowd = Array.from({ length: 7 }, (_, n) => `93.184.215.${n + 20}`);

const turns = new Map<string, number>();

/** Each question about a name is a turn of its own; names with other numbers begin with other turns. */
export function changingName(name: string, six: boolean): Zone | undefined {
  const [, word = '', number = '0'] = /^([a-z]+)-(\d+)\.rebind\.test$/.exec(name) ?? [];
  const mood = moods[word];
  if (mood === undefined) return undefined;
  const key = `${name} ${six}`;
  const turn = turns.get(key) ?? 0;
  turns.set(key, turn + 1);
  return mood(turn, Number(number));
}

export interface Rebound {
  fetches: number;
  ok: number;
  reasons: Record<string, number>;
}

/** Fetches names that change their answers, each time long after the last answer may be kept. */
export async function rebind(count: number, allow: string[]): Promise<Rebound> {
  turns.clear();
  const clock = hoppingClock();
  const fetcher = createEgress({ clock, dns: ['127.0.0.1'], connectTimeoutMs: 2_000 });
  const kinds = Object.keys(moods);
  const result: Rebound = { fetches: 0, ok: 0, reasons: {} };
  const order = Array.from({ length: count }, (_, n) => n);
  const fetchOne = async (n: number) => {
    const host = `${kinds[n % kinds.length]}-${n % 97}.rebind.test`;
    // Mostly a new connection; a kept one must do no harm either.
    if (n % 5 !== 0) fetcher.open(host).close();
    const answer = await ask(fetcher, `http://${host}/n${n}`, { allow });
    result.fetches++;
    if (answer.ok) result.ok++;
    else result.reasons[answer.reason] = (result.reasons[answer.reason] ?? 0) + 1;
  };
  // Time passes between rounds, not within one: a request that is under way would be late.
  for (let from = 0; from < count; from += atOnce) {
    clock.hop();
    await each(order.slice(from, from + atOnce), atOnce, fetchOne);
  }
  await fetcher.close();
  return result;
}

function hoppingClock(): DatedClock & { hop(): void } {
  const real = systemClock();
  let ahead = 0;
  return {
    now: () => real.now() + ahead,
    wall: () => real.wall() + ahead,
    sleep: (ms, signal) => real.sleep(ms, signal),
    hop: () => {
      ahead += hopMs;
    },
  };
}
