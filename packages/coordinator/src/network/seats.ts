import type {
  CoordinatorLink,
  HostLease,
  LeaseId,
  LeaseReport,
  ReportAnswer,
  WorkerId,
} from '@webfarer/protocol';

/** How soon a worker may ask again that has its share already. */
const ASK_AGAIN_MS = 20;

/** One worker among several that lease from the same coordinator. */
export interface Seat {
  lease: CoordinatorLink['lease'];
  leaseHost: CoordinatorLink['leaseHost'];
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;
  /** It holds this no more, whoever ended it. */
  drop(lease: LeaseId): void;
  leave(): void;
  readonly held: ReadonlySet<LeaseId>;
  readonly hungry: boolean;
}

export interface Sitter {
  /** Something may be due that was not when this worker last asked. */
  moreDue(): void;
  /** What it holds already. */
  holds?: Iterable<LeaseId>;
}

export interface LeaseShare {
  join(worker: WorkerId, sitter: Sitter): Seat;
  /** Tells everybody who could take more than there was. */
  wakeHungry(): void;
}

interface Place {
  held: Set<LeaseId>;
  /** It could take more than there was when it last asked; at first everybody can. */
  hungry: boolean;
  moreDue: () => void;
}

/**
 * Whoever asks first would be given every host that is due, and the others nothing, as long as there are fewer
 * hosts than free hands. So while another worker is hungry, nobody is given more than an even share; and whoever
 * went away hungry is told when others bring new work.
 */
export function shareLeases(link: CoordinatorLink, hostsQueued: () => Promise<number>): LeaseShare {
  const places = new Set<Place>();

  async function evenShare(): Promise<number> {
    let hosts = await hostsQueued();
    for (const { held } of places) hosts += held.size;
    return Math.ceil(hosts / places.size);
  }

  function othersHungry(own: Place | undefined): Place[] {
    return [...places].filter((place) => place !== own && place.hungry);
  }

  /** Told once; hungry again is only who asks and is not given all it asked for. */
  function tellOthers(own?: Place): void {
    for (const place of othersHungry(own)) {
      place.hungry = false;
      place.moreDue();
    }
  }

  function keep(place: Place, leases: HostLease[]): void {
    for (const { id } of leases) place.held.add(id);
  }

  return {
    wakeHungry: () => tellOthers(),
    join(worker, { moreDue, holds = [] }) {
      const place: Place = { held: new Set(holds), hungry: true, moreDue };
      places.add(place);
      return {
        held: place.held,
        get hungry() {
          return place.hungry;
        },
        async lease(request) {
          const spare =
            othersHungry(place).length === 0 ? request.hosts : (await evenShare()) - place.held.size;
          const hosts = Math.min(request.hosts, Math.max(0, spare));
          if (hosts === 0) {
            tellOthers(place);
            return { leases: [], nextDueMs: ASK_AGAIN_MS };
          }
          const answer = await link.lease({ ...request, worker, hosts });
          keep(place, answer.leases);
          place.hungry = answer.leases.length < hosts;
          return answer;
        },
        async leaseHost(request) {
          const answer = await link.leaseHost({ ...request, worker });
          if (answer.granted) keep(place, [answer.lease]);
          return answer;
        },
        async report(reports) {
          const answers = await link.report(reports);
          let news = false;
          for (const [i, { id, close }] of reports.entries()) {
            const answer = answers[i];
            if (close || !answer?.ok) place.held.delete(id);
            news ||= close || (answer?.ok === true && answer.accepted > 0);
          }
          if (news) tellOthers(place);
          return answers;
        },
        drop: (lease) => place.held.delete(lease),
        leave: () => places.delete(place),
      };
    },
  };
}
