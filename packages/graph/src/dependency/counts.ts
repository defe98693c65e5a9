import { type Components, strongComponents } from '../hostgraph/strong.ts';
import type { PageGraph } from './page-graph.ts';
import type { TargetGroups } from './target-groups.ts';

/** What can be said of a target without any model. */
export interface TargetCounts {
  /** Pages with a link to it. */
  pages: number;
  links: number;
  /** Part of all pages from which it can be reached. */
  reachable: number;
}

/** For each of the chosen names, in their order. */
export function countTargets(
  graph: PageGraph,
  groups: TargetGroups,
  chosen: readonly number[],
): TargetCounts[] {
  const places = new Int32Array(groups.names.length).fill(-1);
  chosen.forEach((name, place) => {
    places[name] = place;
  });
  const { pages, links } = countLinks(graph, groups, { places, size: chosen.length });
  const reachable = countReaching(graph, groups, { places, size: chosen.length });
  return chosen.map((_, place) => ({
    pages: pages[place] as number,
    links: links[place] as number,
    reachable: (reachable[place] as number) / graph.pages.length,
  }));
}

/** Which of the chosen a name is, or -1. */
interface Chosen {
  places: Int32Array;
  size: number;
}

function countLinks({ exits, exitLinks }: PageGraph, groups: TargetGroups, { places, size }: Chosen) {
  const pages = new Uint32Array(size);
  const links = new Float64Array(size);
  const lastPage = new Int32Array(size).fill(-1);
  for (let page = 0; page < exits.nodes; page++) {
    const end = exits.offsets[page + 1] as number;
    for (let e = exits.offsets[page] as number; e < end; e++) {
      const place = places[groups.of[exits.targets[e] as number] as number] as number;
      if (place < 0) continue;
      links[place]! += exitLinks[e] as number;
      if (lastPage[place] === page) continue;
      lastPage[place] = page;
      pages[place]!++;
    }
  }
  return { pages, links };
}

/** 32 names at once, one bit each: what a component reaches is its own and what those it leads to reach. */
function countReaching(graph: PageGraph, groups: TargetGroups, { places, size }: Chosen): Uint32Array {
  const counts = new Uint32Array(size);
  if (size === 0) return counts;
  const components = strongComponents(graph.inner);
  const members = pagesByComponent(components);
  for (let first = 0; first < size; first += 32) {
    const reached = reachedFrom(graph, components, members, (target) => {
      const place = (places[groups.of[target] as number] as number) - first;
      return place >= 0 && place < 32 ? 1 << place : 0;
    });
    for (let page = 0; page < graph.pages.length; page++) {
      const bits = reached[components.of[page] as number] as number;
      for (let bit = 0; bit < 32 && first + bit < size; bit++) if ((bits >>> bit) & 1) counts[first + bit]!++;
    }
  }
  return counts;
}

function reachedFrom(
  { inner, exits }: PageGraph,
  components: Components,
  members: Uint32Array,
  bitOf: (target: number) => number,
): Int32Array {
  const reached = new Int32Array(components.count);
  // Lower components first: all that a component leads to is known when its turn comes.
  for (const page of members) {
    const own = components.of[page] as number;
    let bits = reached[own] as number;
    for (let e = exits.offsets[page] as number; e < (exits.offsets[page + 1] as number); e++)
      bits |= bitOf(exits.targets[e] as number);
    for (let e = inner.offsets[page] as number; e < (inner.offsets[page + 1] as number); e++)
      bits |= reached[components.of[inner.targets[e] as number] as number] as number;
    reached[own] = bits;
  }
  return reached;
}

function pagesByComponent({ of, count }: Components): Uint32Array {
  const start = new Uint32Array(count + 1);
  for (const component of of) start[component + 1]!++;
  for (let c = 0; c < count; c++) start[c + 1]! += start[c] as number;
  const pages = new Uint32Array(of.length);
  of.forEach((component, page) => {
    pages[start[component]!++] = page;
  });
  return pages;
}
