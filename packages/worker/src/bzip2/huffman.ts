/** Decoders take up to 20; bzip2 itself never writes more than 17. */
const maxLength = 17;
export const mostCodeBits = 20;

/** How long the code of each symbol is when symbols are as frequent as this. Every symbol gets a code. */
export function codeLengths(frequencies: ArrayLike<number>): Uint8Array {
  let weights = Array.from(frequencies, (frequency) => Math.max(1, frequency));
  for (;;) {
    const lengths = treeDepths(weights);
    if (lengths.every((length) => length <= maxLength)) return lengths;
    // Flatter weights make a flatter tree.
    weights = weights.map((weight) => Math.max(1, weight >>> 1));
  }
}

/** Joins the two lightest trees until there is one: sorted leaves and joined trees are two queues. */
function treeDepths(weights: readonly number[]): Uint8Array {
  const count = weights.length;
  const leaves = weights.map((_, symbol) => symbol).sort((a, b) => (weights[a] ?? 0) - (weights[b] ?? 0));
  const weight = [...weights];
  const parent: number[] = [];
  let leaf = 0;
  let joined = count;
  const lightest = (): number => {
    const first = leaves[leaf];
    const takeLeaf =
      first !== undefined && (joined >= weight.length || (weight[first] ?? 0) <= (weight[joined] ?? 0));
    if (!takeLeaf) return joined++;
    leaf += 1;
    return first;
  };
  for (let node = count; node < 2 * count - 1; node++) {
    const [one, other] = [lightest(), lightest()];
    parent[one] = node;
    parent[other] = node;
    weight[node] = (weight[one] ?? 0) + (weight[other] ?? 0);
  }
  const depth = new Uint8Array(2 * count);
  for (let node = 2 * count - 3; node >= 0; node--) depth[node] = (depth[parent[node] ?? 0] ?? 0) + 1;
  return depth.subarray(0, count);
}

/** The codes that follow from their lengths: shorter ones first, then in the order of the symbols. */
export function codesOf(lengths: Uint8Array): Uint32Array {
  const codes = new Uint32Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= mostCodeBits; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++)
      if (lengths[symbol] === length) codes[symbol] = code++;
    code <<= 1;
  }
  return codes;
}
