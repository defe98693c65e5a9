import type { HostKey, SiteKey } from '../base/brands.ts';

/** A tree of labels, from the last one of a name to the first. */
interface PackedRules {
  /** 0 where no rule ends. */
  nodeFlags: Uint8Array;
  /** The edges of node n are those from n to n + 1. */
  edgeStart: Uint16Array;
  edgeLength: Uint8Array;
  edgeChild: Uint16Array;
  /** The labels of all edges, one behind the other. */
  labelText: string;
  rulesRoot: number;
  exceptionsRoot: number;
}

/** Every rule of the public suffix list that this program has, private ones included, one a line, sorted. */
export async function suffixRules(): Promise<string> {
  // Loaded when it is needed: only who makes a store, or opens one that lacks its list, does.
  // @ts-expect-error The list as data is no part of the package's interface; the test compares it with what it does.
  const list = (await import('tldts/dist/cjs/src/data/trie.js')) as PackedRules;
  const offsets: number[] = [];
  let offset = 0;
  for (const length of list.edgeLength) {
    offsets.push(offset);
    offset += length;
  }
  const rules: string[] = [];
  const collect = (node: number, name: string, mark: string): void => {
    if (list.nodeFlags[node] !== 0 && name !== '') rules.push(mark + name);
    for (let edge = list.edgeStart[node] ?? 0; edge < (list.edgeStart[node + 1] ?? 0); edge++) {
      const from = offsets[edge] ?? 0;
      const label = list.labelText.slice(from, from + (list.edgeLength[edge] ?? 0));
      collect(list.edgeChild[edge] ?? 0, name === '' ? label : `${label}.${name}`, mark);
    }
  };
  collect(list.rulesRoot, '', '');
  collect(list.exceptionsRoot, '', '!');
  return rules.sort().join('\n');
}

/** Decides as `siteOf` does, by other rules than those that this program has: see `suffixRules`. */
export function siteFinder(rules: string): (host: HostKey) => SiteKey {
  const known = new Set(rules.split('\n'));

  /** How many labels the suffix of a name has. */
  function suffixLength(labels: readonly string[]): number {
    let longest = 1;
    for (let count = 1; count <= labels.length; count++) {
      const name = labels.slice(-count).join('.');
      if (known.has(`!${name}`)) return count - 1;
      const anyLabel = count > 1 ? `*.${labels.slice(1 - count).join('.')}` : '*';
      if (known.has(name) || known.has(anyLabel)) longest = count;
    }
    return longest;
  }

  return (host) => {
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    if (isAddress(name)) return name as string as SiteKey;
    const labels = name.split('.');
    const wanted = suffixLength(labels) + 1;
    return (labels.length < wanted ? name : labels.slice(-wanted).join('.')) as SiteKey;
  };
}

const isAddress = (name: string) => /^\d+\.\d+\.\d+\.\d+$/.test(name) || name.includes(':');
