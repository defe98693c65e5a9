import type { Edge, Url } from '@webfarer/protocol';

/** Pages that link to each of these URLs, at most `limit` for each: one pass over all links. */
export async function linksTo(
  pages: AsyncIterable<{ from: Url; edges: Edge[] }>,
  urls: ReadonlySet<Url>,
  limit: number,
): Promise<Map<Url, Url[]>> {
  const found = new Map<Url, Url[]>();
  if (urls.size === 0) return found;
  for await (const { from, edges } of pages) {
    for (const { to } of edges) {
      if (!urls.has(to)) continue;
      const known = found.get(to) ?? [];
      if (known.length < limit && known.at(-1) !== from) known.push(from);
      found.set(to, known);
    }
  }
  return found;
}
