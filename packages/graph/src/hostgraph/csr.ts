/** A directed graph in compressed rows: the neighbours of node `i` are `targets[offsets[i]] … targets[offsets[i+1]-1]`. */
export interface Csr {
  nodes: number;
  /** One longer than there are nodes. */
  offsets: Uint32Array;
  targets: Uint32Array;
}

/** The same links the other way round. Rows come out sorted, because sources are gone through in order. */
export function transpose({ nodes, offsets, targets }: Csr, make = plainMemory): Csr {
  const turned: Csr = { nodes, offsets: make(nodes + 1), targets: make(targets.length) };
  for (let e = 0; e < targets.length; e++) turned.offsets[(targets[e] as number) + 1]!++;
  for (let i = 0; i < nodes; i++) turned.offsets[i + 1]! += turned.offsets[i] as number;
  const next = turned.offsets.slice(0, nodes);
  for (let i = 0; i < nodes; i++) {
    const end = offsets[i + 1] as number;
    for (let e = offsets[i] as number; e < end; e++) turned.targets[next[targets[e] as number]!++] = i;
  }
  return turned;
}

/** Memory for arrays of numbers: plain, or shared between threads. */
export type MakeNumbers = (length: number) => Uint32Array;

function plainMemory(length: number): Uint32Array {
  return new Uint32Array(length);
}

/** Rows, given as one list for each node, laid end to end. */
export function csrOf(rows: readonly ArrayLike<number>[]): Csr {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = (offsets[i] as number) + row.length;
  });
  const targets = new Uint32Array(offsets[rows.length] as number);
  rows.forEach((row, i) => targets.set(row, offsets[i]));
  return { nodes: rows.length, offsets, targets };
}
