import { defaultTeam } from '@webfarer/protocol/job';

/** What a crawl, its team or a host of it has used lately of something that all crawls of a process share. */
export interface Use {
  add(ms: number, nowMs: number): void;
  at(nowMs: number): number;
}

/** To whom computing is charged: a crawl of a team. */
export interface Account {
  /** The same object for all crawls of a team. */
  readonly team: Use;
  readonly crawl: Use;
  /** Of one host of the crawl. */
  host(name: string): Use;
}

/** After so long, what was used counts half. */
const halfLifeMs = 30_000;
/** Hosts of one crawl whose use is known; the oldest are forgotten first. */
const mostHosts = 1_000;

class DecayingUse implements Use {
  #ms = 0;
  #atMs = 0;

  add(ms: number, nowMs: number): void {
    this.#ms = this.at(nowMs) + ms;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    if (this.#ms === 0 || nowMs <= this.#atMs) return this.#ms;
    return this.#ms * 0.5 ** ((nowMs - this.#atMs) / halfLifeMs);
  }
}

// allow(state): what a team used of the process, which all its workers share
const teams = new Map<string, Use>();

export function openAccount(team: string = defaultTeam): Account {
  let ofTeam = teams.get(team);
  if (!ofTeam) teams.set(team, (ofTeam = new DecayingUse()));
  const hosts = new Map<string, Use>();
  return {
    team: ofTeam,
    crawl: new DecayingUse(),
    host(name) {
      let use = hosts.get(name);
      if (!use) {
        if (hosts.size >= mostHosts) hosts.delete(hosts.keys().next().value as string);
        hosts.set(name, (use = new DecayingUse()));
      }
      return use;
    },
  };
}
