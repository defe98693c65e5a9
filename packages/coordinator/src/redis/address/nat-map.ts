import { readFileSync } from 'node:fs';
import { WebfarerError } from '@webfarer/protocol';

/**
 * Servers behind a port mapping know each other by addresses that are of no use here. The store is described by those
 * inner addresses everywhere, as its servers do it; only whoever connects goes to the outer one.
 */
export interface NatMap {
  /** Where to connect to. */
  outer(address: string): string;
  /** By which address the servers know it. */
  inner(address: string): string;
}

export const noNat: NatMap = { outer: (address) => address, inner: (address) => address };

const anAddress = /^(?:\[[\da-f:.]+\]|[^\s:[\]]+):\d{1,5}$/i;

/** `inner:port=outer:port,...`, or the name of a JSON file with an object of the same. */
export function natMap(text: string | undefined): NatMap {
  if (text === undefined) return noNat;
  const pairs = /\.json$/i.test(text) ? pairsIn(text) : text.split(',').map((pair) => pair.split('='));
  const outers = new Map<string, string>();
  const inners = new Map<string, string>();
  for (const pair of pairs) {
    const [inner = '', outer = ''] = pair.map((one) => String(one).trim());
    if (pair.length !== 2 || !anAddress.test(inner) || !anAddress.test(outer))
      throw malformed(pair.join('='));
    outers.set(inner, outer);
    inners.set(outer, inner);
  }
  return {
    outer: (address) => outers.get(address) ?? address,
    inner: (address) => inners.get(address) ?? address,
  };
}

function pairsIn(file: string): string[][] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new WebfarerError(
      'usage',
      `cannot read the address map ${file}: ${code === 'ENOENT' ? 'no such file' : message}`,
      { next: 'Name a JSON file such as {"10.0.0.5:6379": "store.example.org:7001"} with --store-nat.' },
    );
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw malformed(file);
  return Object.entries(content).map(([inner, outer]) => [inner, String(outer)]);
}

function malformed(what: string): WebfarerError {
  return new WebfarerError('usage', `the address map of the store is malformed: ${what}`, {
    next: "Write --store-nat '10.0.0.5:6379=store.example.org:7001,10.0.0.6:6379=store.example.org:7002'.",
  });
}
