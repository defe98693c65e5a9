import type { CoordinatorLink, LeaseId, LeaseReport, ReportAnswer, WorkerId } from '@webfarer/protocol';

/** How soon a process may ask again that has its share already. */
const ASK_AGAIN_MS = 20;

/** One process among several that lease from the same coordinator. */
export interface Seat {
  lease: CoordinatorLink['lease'];
  leaseHost: CoordinatorLink['leaseHost'];
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;
  leave(): void;
}

export interface LeaseShare {
  /** `moreDue` is called when something may be due that was not when this process last asked. */
  join(worker: WorkerId, moreDue: () => void): Seat;
}

interface Place {
  held: Set<LeaseId>;
  /** It could take more than there was when it last asked; at first everybody can. */
  hungry: boolean;
  moreDue: () => void;
}

/**
 * Whoever asks first would be given every host that is due, and the others nothing, as long as there are fewer
 * hosts than free hands. So while another process is hungry, nobody is given more than an even share; and whoever
 * went away hungry is told when others bring new work.
 */
export function shareLeases(link: CoordinatorLink, hostsQueued: () => Promise<number>): LeaseShare {
  const places = new Set<Place>();

  async function evenShare(): Promise<number> {
    let hosts = await hostsQueued();
    for (const { held } of places) hosts += held.size;
    return Math.ceil(hosts / places.size);
  }

  function othersHungry(own: Place): Place[] {
    return [...places].filter((place) => place !== own && place.hungry);
  }

  /** Told once; hungry again is only who asks and is not given all it asked for. */
  function tellOthers(own: Place): void {
    for (const place of othersHungry(own)) {
      place.hungry = false;
      place.moreDue();
    }
  }

  return {
    join(worker, moreDue) {
      const place: Place = { held: new Set(), hungry: true, moreDue };
      places.add(place);
      return {
        async lease(request) {
          const spare =
            othersHungry(place).length === 0 ? request.hosts : (await evenShare()) - place.held.size;
          const hosts = Math.min(request.hosts, Math.max(0, spare));
          if (hosts === 0) {
            tellOthers(place);
            return { leases: [], nextDueMs: ASK_AGAIN_MS };
          }
          const answer = await link.lease({ ...request, worker, hosts });
          for (const { id } of answer.leases) place.held.add(id);
          place.hungry = answer.leases.length < hosts;
          return answer;
        },
        leaseHost: (request) => link.leaseHost({ ...request, worker }),
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
        leave: () => places.delete(place),
      };
    },
  };
}
