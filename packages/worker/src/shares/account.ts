import { defaultTeam } from '@webfarer/protocol/job';
import { type Line, openShare, type Share } from './fair-queue.ts';

/** What a crawl, its team or a host of it has used lately of something that all crawls of a process share. */
export interface Use {
  add(ms: number, nowMs: number): void;
  at(nowMs: number): number;
}

/** To whom computing is charged: a crawl of a team. */
export interface Account {
  /** Of the crawl, for people. */
  readonly name: string;
  /** The same object for all crawls of a team. */
  readonly team: Use;
  readonly crawl: Use;
  /** Of one host of the crawl. */
  host(name: string): Use;
  /** Of the main thread, which computes for one page at a time. */
  readonly loop: Line;
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

interface TeamAccount {
  use: Use;
  loop: Share;
}

// allow(state): what a team used of the process, which all its workers share
const teams = new Map<string, TeamAccount>();

export function openAccount(team: string = defaultTeam, name = ''): Account {
  let ofTeam = teams.get(team);
  if (!ofTeam) teams.set(team, (ofTeam = { use: new DecayingUse(), loop: openShare() }));
  const hosts = new Map<string, Use>();
  return {
    name,
    team: ofTeam.use,
    crawl: new DecayingUse(),
    loop: { team: ofTeam.loop, crawl: openShare() },
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
