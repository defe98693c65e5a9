interface SizeTable {
  of(counters: Int32Array, start: number): number;
}
// allow(state): tables that follow from their key alone
const tables = new Map<number, SizeTable>();

/**
 * How many nodes a counter has seen: Ertl's estimator (2017), which needs no correction for small or middling numbers.
 */
export function sizeTable(bits: number): SizeTable {
  const known = tables.get(bits);
  if (known) return known;
  const registers = 2 ** bits;
  const words = registers / 4;
  const powers = Float64Array.from({ length: 64 }, (_, k) => (k === 0 ? 0 : 2 ** -k));
  const empties = Float64Array.from({ length: registers + 1 }, (_, n) => registers * sigma(n / registers));
  const scale = registers ** 2 / (2 * Math.LN2);
  const table: SizeTable = {
    of(counters, start) {
      let sum = 0;
      let empty = 0;
      for (let w = 0; w < words; w++) {
        const four = counters[start + w] as number;
        for (let shift = 0; shift < 32; shift += 8) {
          const register = (four >>> shift) & 0x3f;
          sum += powers[register] as number;
          if (register === 0) empty++;
        }
      }
      return scale / (sum + (empties[empty] as number));
    },
  };
  tables.set(bits, table);
  return table;
}

/** σ(x) = x + Σ x^(2^k)·2^(k−1). */
function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let [power, factor, sum] = [x, 1, x];
  for (let last = -1; sum !== last; ) {
    last = sum;
    power *= power;
    sum += power * factor;
    factor *= 2;
  }
  return sum;
}
