import type { Csr } from './csr.ts';
import { type Components, strongComponents } from './strong.ts';
import { weakComponents } from './weak.ts';

/** Nodes in each part of the bow tie around the largest strong component. They sum to all nodes. */
export interface BowTie {
  /** The largest strong component. */
  core: number;
  /** Lead into the core, and are not led to from it. */
  in: number;
  /** Are led to from the core, and do not lead back. */
  out: number;
  /** Hang together with the core otherwise: tubes from in to out, and tendrils. */
  tendrils: number;
  /** Do not hang together with it at all. */
  apart: number;
}

export interface Shape {
  strong: Components;
  weak: Components;
  largestStrong: number;
  largestWeak: number;
  bowTie: BowTie;
}

export function shapeOf(out: Csr, into: Csr): Shape {
  const strong = strongComponents(out);
  const weak = weakComponents(out);
  const core = largest(strong);
  const whole = largest(weak);
  const down = reached(out, strong, core.component);
  const up = reached(into, strong, core.component);
  const seed = strong.of.indexOf(core.component);
  const home = seed < 0 ? -1 : (weak.of[seed] as number);
  const bowTie: BowTie = { core: 0, in: 0, out: 0, tendrils: 0, apart: 0 };
  for (let node = 0; node < out.nodes; node++) {
    if (down[node] && up[node]) bowTie.core++;
    else if (up[node]) bowTie.in++;
    else if (down[node]) bowTie.out++;
    else if (weak.of[node] === home) bowTie.tendrils++;
    else bowTie.apart++;
  }
  return { strong, weak, largestStrong: core.size, largestWeak: whole.size, bowTie };
}

/** Of equally large ones the one with the lowest number. */
function largest({ of, count }: Components): { component: number; size: number } {
  const sizes = new Uint32Array(count);
  for (const component of of) sizes[component]!++;
  const size = sizes.reduce((most, own) => Math.max(most, own), 0);
  return { component: sizes.indexOf(size), size };
}

/** 1 for each node that can be reached from a component, its own nodes among them. */
function reached({ nodes, offsets, targets }: Csr, { of }: Components, component: number): Uint8Array {
  const seen = new Uint8Array(nodes);
  const ahead = new Uint32Array(nodes);
  let open = 0;
  for (let node = 0; node < nodes; node++) {
    if (of[node] !== component) continue;
    seen[node] = 1;
    ahead[open++] = node;
  }
  while (open > 0) {
    const node = ahead[--open] as number;
    const end = offsets[node + 1] as number;
    for (let e = offsets[node] as number; e < end; e++) {
      const to = targets[e] as number;
      if (seen[to] === 1) continue;
      seen[to] = 1;
      ahead[open++] = to;
    }
  }
  return seen;
}
