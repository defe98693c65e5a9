import type { Clock } from '@webfarer/protocol';
import type { Orders } from '@webfarer/protocol/link';
import type { LeaseCalls } from './lease-roster.ts';
import { createWakeChain } from './wake-chain.ts';

/** How soon a worker may ask again that has its share already; the others have had their chance by then. */
const ASK_AGAIN_MS = 20;
/** The same where the others have another coordinator, which learns later of what is due. */
const ASK_AGAIN_ELSEWHERE_MS = 500;
/** How long a count of hosts is believed. */
const COUNT_AGE_MS = 50;
/** One worker is asked for hosts at most this often: giving back takes a moment. */
const WATER_EVERY_MS = 1_000;

/** One worker among several that lease from the same coordinator. */
export interface WorkerShare extends LeaseCalls {
  /** It could take so many hosts more than there are: those who hold more than an even share are asked for some. */
  dry(hosts: number): void;
  leave(): void;
  readonly hungry: boolean;
}

export interface LeaseShareOptions {
  clock: Clock;
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** A worker is dry and nobody here holds more than an even share: other coordinators' workers may. */
  stillDry: (hosts: number) => void;
  /** What the workers of other coordinators hold, and whether any of them are dry. */
  elsewhere: () => Elsewhere;
}

export interface Elsewhere {
  dry: boolean;
  hosts: number;
  workers: number;
}

/** For a coordinator that is the only one. */
export const nothingElsewhere: Elsewhere = { dry: false, hosts: 0, workers: 0 };

export interface LeaseShare {
  /**
   * A worker with its leases, and the orders it is given when others have too much or too little. While it is cordoned
   * it is given nothing new, and the others share as if it were not there.
   */
  join(leases: LeaseCalls, orders: Pick<Orders, 'wake' | 'water'>, isCordoned: () => boolean): WorkerShare;
  /** Something may be due. */
  wake(): void;
  /** Workers elsewhere are dry: asks those here for so many hosts; answers for how many it asked. */
  water(hosts: number): number;
}

interface Place {
  leases: LeaseCalls;
  /** Hosts it holds. */
  readonly held: LeaseCalls['held'];
  wake: Orders['wake'];
  water: Orders['water'];
  isCordoned: () => boolean;
  /** It was put off when it last asked. */
  putOff: boolean;
  askedForWaterAtMs: number;
}

/**
 * Whoever asks first would be given every host that is due, and the others nothing, as long as there are fewer
 * hosts than free hands. So while another worker is hungry, nobody is given more than an even share; whoever went
 * away hungry is told when others bring new work; and where somebody holds more than an even share already, it is
 * asked to give some back.
 */
export function shareLeases(options: LeaseShareOptions): LeaseShare {
  const { clock, hostsQueued, stillDry } = options;
  const places = new Set<Place>();
  const cordoned = new Set<Place>();
  const chain = createWakeChain(clock);
  let queued = { hosts: 0, atMs: Number.NEGATIVE_INFINITY };

  function allHeld(): number {
    let hosts = 0;
    for (const { held } of places) hosts += held.size;
    return hosts;
  }

  /** Those that are not cordoned, as far as they have asked since; at least one, so that a share can be computed. */
  function sharers(): number {
    return Math.max(1, places.size - cordoned.size);
  }

  function isCordoned(place: Place): boolean {
    if (!place.isCordoned()) {
      if (cordoned.size > 0) cordoned.delete(place);
      return false;
    }
    cordoned.add(place);
    chain.sated(place);
    chain.news(place);
    return true;
  }

  async function queuedNow(): Promise<number> {
    if (clock.now() < queued.atMs + COUNT_AGE_MS) return queued.hosts;
    queued = { hosts: await hostsQueued(), atMs: clock.now() };
    return queued.hosts;
  }

  /** How many hosts more make an even share of all there are, here and elsewhere. */
  async function spareOf(place: Place, outside?: Elsewhere): Promise<number> {
    const waiting = await queuedNow();
    const held = allHeld() + (outside?.hosts ?? 0);
    // A held host with more in its queue is counted in both. While somebody has nothing, rather too few than too many.
    const all = outside ? Math.max(waiting, held) : waiting + held;
    return Math.ceil(all / (sharers() + (outside?.workers ?? 0))) - place.held.size;
  }

  /** How many hosts it may have now, were they due; 0: others come first. */
  async function allowed(place: Place, wanted: number): Promise<number> {
    const wasPutOff = place.putOff;
    place.putOff = false;
    if (wasPutOff || !chain.anyBut(place)) return wanted;
    const spare = await spareOf(place);
    if (spare > 0) return Math.min(wanted, spare);
    place.putOff = queued.hosts > 0;
    return place.putOff ? 0 : wanted;
  }

  /** Asks those who hold more than `fair` for what is above it, the richest first. */
  function askFor(wanted: number, fair: number): number {
    const now = clock.now();
    const rich = [...places]
      .filter((place) => place.held.size > fair && now >= place.askedForWaterAtMs + WATER_EVERY_MS)
      .sort((a, b) => b.held.size - a.held.size);
    let left = wanted;
    for (const place of rich) {
      if (left <= 0) break;
      const hosts = Math.min(left, place.held.size - fair);
      place.askedForWaterAtMs = now;
      place.water(hosts);
      left -= hosts;
    }
    return wanted - left;
  }

  function shareOf(place: Place): WorkerShare {
    const { leases } = place;
    return {
      held: leases.held,
      get hungry() {
        return chain.isHungry(place);
      },
      async lease(request) {
        if (isCordoned(place)) return { leases: [], nextDueMs: null };
        const outside = options.elsewhere();
        const wanted = outside.dry ? Math.min(request.hosts, await spareOf(place, outside)) : request.hosts;
        if (wanted <= 0) return { leases: [], nextDueMs: ASK_AGAIN_ELSEWHERE_MS };
        const hosts = await allowed(place, wanted);
        if (hosts === 0) {
          chain.news(place);
          return { leases: [], nextDueMs: ASK_AGAIN_MS };
        }
        const answer = await leases.lease({ ...request, hosts });
        queued.hosts = Math.max(0, queued.hosts - answer.leases.length);
        if (answer.leases.length < hosts) chain.hungry(place);
        else {
          chain.sated(place);
          chain.news(place);
        }
        return answer;
      },
      leaseHost: leases.leaseHost,
      renew: leases.renew,
      async report(reports) {
        const answers = await leases.report(reports);
        const isNews = reports.some(({ close }, i) => {
          const answer = answers[i];
          return close || (answer?.ok === true && answer.accepted > 0);
        });
        if (isNews) chain.news(place);
        return answers;
      },
      dry(hosts) {
        if (isCordoned(place)) return;
        chain.hungry(place);
        const fair = Math.ceil(allHeld() / sharers());
        const wanted = Math.min(hosts, fair - place.held.size);
        const asked = askFor(wanted, fair);
        if (asked === 0) stillDry(hosts);
      },
      leave() {
        places.delete(place);
        cordoned.delete(place);
        chain.sated(place);
      },
    };
  }

  return {
    wake: () => chain.news(),
    // One more shares what there is: whoever asks from outside.
    water: (hosts) => askFor(hosts, Math.ceil(allHeld() / (sharers() + 1))),
    join(leases, orders, cordonedNow) {
      const place: Place = {
        leases,
        held: leases.held,
        wake: () => orders.wake(),
        water: (hosts) => orders.water(hosts),
        isCordoned: cordonedNow,
        putOff: false,
        askedForWaterAtMs: Number.NEGATIVE_INFINITY,
      };
      places.add(place);
      // At first everybody could take some.
      chain.hungry(place);
      return shareOf(place);
    },
  };
}
