/**
 * Nodes are worked on in blocks of this many, whoever does it: so results do not depend on the number of threads. A
 * number for each node of a block stays in a processor's own cache, and its place in the block takes 16 bits.
 */
export const blockNodes = 32_768;

export function blockCount(nodes: number): number {
  return Math.ceil(nodes / blockNodes);
}

/** First node of a block, and the one behind its last. */
export function eachNode(nodes: number, block: number): [number, number] {
  return [block * blockNodes, Math.min(nodes, (block + 1) * blockNodes)];
}

type NumberArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** Memory that threads share. */
export function shared<T extends NumberArray>(
  kind: { new (buffer: SharedArrayBuffer): T; BYTES_PER_ELEMENT: number },
  length: number,
): T {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT));
}
