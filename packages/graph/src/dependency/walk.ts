import { transpose } from '../hostgraph/csr.ts';
import { type PageGraph, placesOf } from './page-graph.ts';

/** The probability that the reader follows a link of a page. Part of what a share means: not an option. */
export const damping = 0.85;
/** Readers still walking at the end, as a part of those who left: the bound on the error of every share. */
const tolerance = 1e-12;
/** Below this share of readers the walk ends, even where readers hardly ever leave. */
const nobody = 1e-290;
/** Links gone through between two moments at which the walk may rest. */
const sliceLinks = 200_000;

/** How far a walk has come. All of it is needed to resume, and nothing else. */
export interface WalkState {
  round: number;
  /** Readers on each page at the beginning of the round. */
  here: Float64Array;
  /** Visits to each page in all rounds before. */
  visits: Float64Array;
  /** Readers who left the job in all rounds before. */
  left: number;
  /** Readers who are still walking. */
  walking: number;
}

/** What stays the same over all rounds. */
export interface WalkPlan {
  pages: number;
  /** Part of the readers on a page who take each of its links. */
  rate: Float64Array;
  /** Of the pages that link to each page. */
  into: { offsets: Uint32Array; targets: Uint32Array };
  exits: Uint32Array;
}

export function planWalk(graph: PageGraph): WalkPlan {
  const pages = graph.pages.length;
  const rate = new Float64Array(pages);
  const exits = new Uint32Array(pages);
  for (let page = 0; page < pages; page++) {
    const places = placesOf(graph, page);
    rate[page] = places === 0 ? 0 : damping / places;
    exits[page] = (graph.exits.offsets[page + 1] as number) - (graph.exits.offsets[page] as number);
  }
  return { pages, rate, exits, into: transpose(graph.inner) };
}

/** A reader who begins on any of these pages, each equally likely. */
export function beginWalk({ pages }: WalkPlan, from: readonly number[]): WalkState {
  const here = new Float64Array(pages);
  for (const page of from) here[page] = 1 / from.length;
  return { round: 0, here, visits: new Float64Array(pages), left: 0, walking: 1 };
}

/** Where nobody can leave there are no shares; the walk then only shows how the others end. */
export function isOver({ walking, left }: WalkState, canLeave: boolean): boolean {
  return walking <= nobody || walking <= tolerance * (canLeave ? left : 1);
}

/**
 * One round: everybody makes a step. Yields now and then, so that whoever runs it can rest; the state changes only at
 * the end. Each page gathers from its own list in its own order, so the sums never depend on anything but the graph.
 */
export function* walkRound(plan: WalkPlan, state: WalkState): Generator<void, WalkState> {
  const { pages, rate, exits, into } = plan;
  const { here, visits } = state;
  const taking = new Float64Array(pages);
  const visited = new Float64Array(pages);
  let left = state.left;
  for (let page = 0; page < pages; page++) {
    const readers = here[page] as number;
    visited[page] = (visits[page] as number) + readers;
    taking[page] = readers * (rate[page] as number);
    left += (taking[page] as number) * (exits[page] as number);
  }
  const arrived = new Float64Array(pages);
  let walking = 0;
  let gone = 0;
  for (let page = 0; page < pages; page++) {
    const end = into.offsets[page + 1] as number;
    let sum = 0;
    for (let e = into.offsets[page] as number; e < end; e++)
      sum += taking[into.targets[e] as number] as number;
    arrived[page] = sum;
    walking += sum;
    gone += end - (into.offsets[page] as number) + 1;
    if (gone >= sliceLinks) {
      gone = 0;
      yield;
    }
  }
  return { round: state.round + 1, here: arrived, visits: visited, left, walking };
}

/** False where no link out of the job can be reached from these pages: then nobody ever leaves. */
export function leadsOut({ inner }: PageGraph, { exits }: WalkPlan, from: readonly number[]): boolean {
  const seen = new Uint8Array(exits.length);
  const ahead = [...from];
  for (const page of from) seen[page] = 1;
  for (let page = ahead.pop(); page !== undefined; page = ahead.pop()) {
    if ((exits[page] as number) > 0) return true;
    const end = inner.offsets[page + 1] as number;
    for (let e = inner.offsets[page] as number; e < end; e++) {
      const to = inner.targets[e] as number;
      if (seen[to] === 0) {
        seen[to] = 1;
        ahead.push(to);
      }
    }
  }
  return false;
}
