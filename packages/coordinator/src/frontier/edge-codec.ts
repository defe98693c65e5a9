import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Edge, originOf, type Url } from '@webfarer/protocol';

/**
 * The links of one page as one blob: a byte that says how, then JSON of small arrays. Links to the page's
 * own origin are stored without it; from half a kilobyte on the text is deflated, which halves it at least.
 */
type Packed = [to: string, rel: string, nofollow?: 0 | 1, text?: string];

const plain = 0;
const deflated = 1;
const deflateFrom = 512;
/** A small window is made in half the time, and one page's links fit into it. */
const quick = { level: 1, windowBits: 13, memLevel: 6 };

export function packEdges(from: Url, edges: Edge[]): Uint8Array {
  const origin = originOf(from);
  const packed = edges.map(({ to, rel, nofollow, text }): Packed => {
    // A path never starts with "h", so both forms can be told apart.
    const short = to.startsWith(`${origin}/`) ? to.slice(origin.length) : to;
    if (text !== undefined) return [short, rel, nofollow ? 1 : 0, text];
    return nofollow ? [short, rel, 1] : [short, rel];
  });
  const json = Buffer.from(JSON.stringify(packed));
  const small = json.length < deflateFrom;
  return Buffer.concat([Buffer.of(small ? plain : deflated), small ? json : deflateRawSync(json, quick)]);
}

export function unpackEdges(from: Url, data: Uint8Array): Edge[] {
  const body = data.subarray(1);
  const json = data[0] === plain ? Buffer.from(body) : inflateRawSync(body);
  const origin = originOf(from);
  return (JSON.parse(json.toString()) as Packed[]).map(([to, rel, nofollow, text]) => {
    const edge: Edge = { to: (to.startsWith('/') ? origin + to : to) as Url, rel };
    if (nofollow === 1) edge.nofollow = true;
    if (text !== undefined) edge.text = text;
    return edge;
  });
}
