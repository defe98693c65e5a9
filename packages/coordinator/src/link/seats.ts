import type {
  Clock,
  CoordinatorLink,
  LeaseId,
  LeaseRef,
  LeaseReport,
  RenewAnswer,
  ReportAnswer,
  WorkerId,
} from '@webfarer/protocol';
import { createWakeChain, type Sleeper } from './wake-chain.ts';

/** How soon a worker may ask again that has its share already; the others have had their chance by then. */
const ASK_AGAIN_MS = 20;
/** The same where the others have another coordinator, which learns later of what is due. */
const ASK_AGAIN_ELSEWHERE_MS = 500;
/** How long a count of hosts is believed. */
const COUNT_AGE_MS = 50;
/** One worker is asked for hosts at most this often: giving back takes a moment. */
const WATER_EVERY_MS = 1_000;

/** One worker among several that lease from the same coordinator. */
export interface Seat {
  lease: CoordinatorLink['lease'];
  leaseHost: CoordinatorLink['leaseHost'];
  renew(leases: LeaseRef[]): Promise<RenewAnswer[]>;
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;
  /** It could take so many hosts more than there are: those who hold more than an even share are asked for some. */
  dry(hosts: number): void;
  leave(): void;
  readonly held: ReadonlyMap<LeaseId, LeaseRef | undefined>;
  readonly hungry: boolean;
}

export interface Sitter extends Sleeper {
  /** Others are dry: it is to give back up to so many hosts. Absent: it is never asked. */
  water?(hosts: number): void;
  /** What it holds already. */
  holds?: Iterable<LeaseId>;
}

export interface LeaseShareOptions {
  link: CoordinatorLink;
  clock: Clock;
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** A worker is dry and nobody here holds more than an even share: other coordinators' workers may. */
  stillDry?: (hosts: number) => void;
  /** What the workers of other coordinators hold, and whether any of them are dry. */
  elsewhere?: () => Elsewhere;
}

export interface Elsewhere {
  dry: boolean;
  hosts: number;
  workers: number;
}

export interface LeaseShare {
  join(worker: WorkerId, sitter: Sitter): Seat;
  /** Something may be due. */
  moreDue(): void;
  /** Workers elsewhere are dry: asks those here for so many hosts; answers for how many it asked. */
  water(hosts: number): number;
}

interface Place extends Sitter {
  held: Map<LeaseId, LeaseRef | undefined>;
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
  const { link, clock, hostsQueued, stillDry } = options;
  const places = new Set<Place>();
  const chain = createWakeChain(clock);
  let queued = { hosts: 0, atMs: Number.NEGATIVE_INFINITY };

  function allHeld(): number {
    let hosts = 0;
    for (const { held } of places) hosts += held.size;
    return hosts;
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
    return Math.ceil(all / (places.size + (outside?.workers ?? 0))) - place.held.size;
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

  function keep(place: Place, leases: readonly LeaseRef[]): void {
    for (const { id, crawl, host, fence } of leases) place.held.set(id, { id, crawl, host, fence });
  }

  /** Asks those who hold more than `fair` for what is above it, the richest first. */
  function askFor(wanted: number, fair: number): number {
    const now = clock.now();
    const rich = [...places]
      .filter(
        (place) => place.water && place.held.size > fair && now >= place.askedForWaterAtMs + WATER_EVERY_MS,
      )
      .sort((a, b) => b.held.size - a.held.size);
    let left = wanted;
    for (const place of rich) {
      if (left <= 0) break;
      const hosts = Math.min(left, place.held.size - fair);
      place.askedForWaterAtMs = now;
      place.water?.(hosts);
      left -= hosts;
    }
    return wanted - left;
  }

  function seatOf(place: Place, worker: WorkerId): Seat {
    return {
      held: place.held,
      get hungry() {
        return chain.isHungry(place);
      },
      async lease(request) {
        const outside = options.elsewhere?.();
        const wanted = outside?.dry ? Math.min(request.hosts, await spareOf(place, outside)) : request.hosts;
        if (wanted <= 0) return { leases: [], nextDueMs: ASK_AGAIN_ELSEWHERE_MS };
        const hosts = await allowed(place, wanted);
        if (hosts === 0) {
          chain.news(place);
          return { leases: [], nextDueMs: ASK_AGAIN_MS };
        }
        const answer = await link.lease({ ...request, worker, hosts });
        keep(place, answer.leases);
        queued.hosts = Math.max(0, queued.hosts - answer.leases.length);
        if (answer.leases.length < hosts) chain.hungry(place);
        else {
          chain.sated(place);
          chain.news(place);
        }
        return answer;
      },
      async leaseHost(request) {
        const answer = await link.leaseHost({ ...request, worker });
        if (answer.granted) keep(place, [answer.lease]);
        return answer;
      },
      async renew(leases) {
        const answers = await link.renew(leases);
        for (const [i, { id }] of leases.entries()) if (answers[i]?.ok === false) place.held.delete(id);
        return answers;
      },
      async report(reports) {
        const answers = await link.report(reports);
        let news = false;
        for (const [i, { id, close }] of reports.entries()) {
          const answer = answers[i];
          if (close || !answer?.ok) place.held.delete(id);
          news ||= close || (answer?.ok === true && answer.accepted > 0);
        }
        if (news) chain.news(place);
        return answers;
      },
      dry(hosts) {
        chain.hungry(place);
        const fair = Math.ceil(allHeld() / places.size);
        const wanted = Math.min(hosts, fair - place.held.size);
        const asked = askFor(wanted, fair);
        if (asked === 0) stillDry?.(hosts);
      },
      leave() {
        places.delete(place);
        chain.sated(place);
      },
    };
  }

  return {
    moreDue: () => chain.news(),
    // One more shares what there is: whoever asks from outside.
    water: (hosts) => askFor(hosts, Math.ceil(allHeld() / (places.size + 1))),
    join(worker, { holds = [], ...sitter }) {
      const held = new Map([...holds].map((id) => [id, undefined]));
      const place: Place = { ...sitter, held, putOff: false, askedForWaterAtMs: Number.NEGATIVE_INFINITY };
      places.add(place);
      // At first everybody could take some.
      chain.hungry(place);
      return seatOf(place, worker);
    },
  };
}
