/** A directed graph as a list of links, each once and none from a node to itself. */
export interface RandomGraph {
  nodes: number;
  edges: [number, number][];
}

/** From sparse to dense, with and without hubs, chains and lone nodes. */
export function randomGraph(random: () => number, maxNodes: number): RandomGraph {
  const nodes = 2 + Math.floor(random() * (maxNodes - 1));
  const links = Math.floor(nodes * random() * 6);
  // 1: all nodes alike. Larger: the first ones are chosen far more often.
  const skew = 1 + Math.floor(random() * 4);
  const found = new Map<string, [number, number]>();
  const add = (from: number, to: number): void => {
    if (from !== to) found.set(`${from} ${to}`, [from, to]);
  };
  for (let n = 0; n < links; n++) add(Math.floor(random() * nodes), Math.floor(random() ** skew * nodes));
  if (random() < 0.3) for (let node = 1; node < nodes; node += 2) add(node - 1, node);
  return { nodes, edges: [...found.values()] };
}
