import type { BitWriter } from './bits.ts';
import { groupSymbols, maxTables } from './format.ts';
import { codeLengths, codesOf } from './huffman.ts';

/** How often tables and the choice between them are fitted to each other. */
const rounds = 4;

/** Writes the symbols of a block, the last of which ends it, with the Huffman tables that suit them. */
export function writeSymbols(bits: BitWriter, symbols: Uint16Array, count: number): void {
  const alphabet = (symbols[count - 1] ?? 0) + 1;
  let tables = firstTables(symbols.subarray(0, count), alphabet);
  let choices = new Uint8Array();
  for (let round = 0; round < rounds; round++) {
    const frequencies = tables.map(() => new Uint32Array(alphabet));
    choices = chooseTables(symbols.subarray(0, count), tables, frequencies);
    tables = frequencies.map((each) => codeLengths(each));
  }
  bits.write(3, tables.length);
  bits.write(15, choices.length);
  writeChoices(bits, choices, tables.length);
  for (const lengths of tables) writeTable(bits, lengths);
  const codes = tables.map((lengths) => codesOf(lengths));
  for (let i = 0; i < count; i++) {
    const table = choices[Math.floor(i / groupSymbols)] ?? 0;
    const symbol = symbols[i] ?? 0;
    bits.write(tables[table]?.[symbol] ?? 0, codes[table]?.[symbol] ?? 0);
  }
}

/** Each is cheap for a range of symbols that makes up its share of the block. */
function firstTables(symbols: Uint16Array, alphabet: number): Uint8Array[] {
  const frequencies = new Uint32Array(alphabet);
  for (const symbol of symbols) frequencies[symbol] = (frequencies[symbol] ?? 0) + 1;
  const steps = [200, 600, 1_200, 2_400];
  const count = Math.min(maxTables, 2 + steps.filter((step) => symbols.length >= step).length);
  let seen = 0;
  const share = Array.from(frequencies, (frequency) => {
    const table = Math.min(count - 1, Math.floor((seen * count) / symbols.length));
    seen += frequency;
    return table;
  });
  return Array.from({ length: count }, (_, table) =>
    Uint8Array.from(share, (owner) => (owner === table ? 1 : 15)),
  );
}

/** The cheapest table for each group; `frequencies` becomes what each is then used for. */
function chooseTables(
  symbols: Uint16Array,
  tables: readonly Uint8Array[],
  frequencies: readonly Uint32Array[],
): Uint8Array<ArrayBuffer> {
  const choices = new Uint8Array(Math.ceil(symbols.length / groupSymbols));
  for (let group = 0; group < choices.length; group++) {
    const part = symbols.subarray(group * groupSymbols, (group + 1) * groupSymbols);
    const costs = tables.map((lengths) => part.reduce((sum, symbol) => sum + (lengths[symbol] ?? 0), 0));
    const best = costs.indexOf(Math.min(...costs));
    choices[group] = best;
    const own = frequencies[best];
    if (own) for (const symbol of part) own[symbol] = (own[symbol] ?? 0) + 1;
  }
  return choices;
}

/** How long ago each was chosen, as that many ones and a zero. */
function writeChoices(bits: BitWriter, choices: Uint8Array, tables: number): void {
  const recent = Array.from({ length: tables }, (_, table) => table);
  for (const choice of choices) {
    const place = recent.indexOf(choice);
    recent.splice(place, 1);
    recent.unshift(choice);
    bits.write(place + 1, (1 << (place + 1)) - 2);
  }
}

/** The first length, then steps up (10) or down (11) to the next, and a zero for each that is reached. */
function writeTable(bits: BitWriter, lengths: Uint8Array): void {
  let current = lengths[0] ?? 0;
  bits.write(5, current);
  for (const length of lengths) {
    for (; current < length; current++) bits.write(2, 2);
    for (; current > length; current--) bits.write(2, 3);
    bits.write(1, 0);
  }
}
