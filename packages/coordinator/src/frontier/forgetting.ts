import type { CrawlId, Edge, PackedEdges, PageRecord, Revisit, SavedAt, Url } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { HostMatch } from '@webfarer/protocol/url';
import type { ForgetOrder, Frontier, MovedPlace } from './frontier.ts';

/** Takes all steps of forgetting hosts; answers how many URLs are gone. `wait`: for a request under way. */
export async function forgetAll(
  frontier: Pick<Frontier, 'forget'>,
  crawl: CrawlId,
  order: ForgetOrder,
  wait: (ms: number) => Promise<void>,
): Promise<number> {
  let urls = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const step = await frontier.forget(crawl, order, after);
    urls += step.urls;
    after = step.next;
    if (step.waitMs !== undefined) await wait(step.waitMs);
  }
  return urls;
}

/** What a page says in its own words stays, also where it names the host. */
const ownWords: ReadonlySet<string> = new Set([
  'url',
  'title',
  'label',
  'request',
  'etag',
  'server',
  'signals',
]);

/** Finds captures that have another place now. */
export type FindMoved = (at: SavedAt) => MovedPlace | undefined;

export function movedFinder(moved: readonly MovedPlace[]): FindMoved {
  const keyOf = (member: string | undefined, file: string, offset: number) =>
    `${member ?? ''} ${file} ${offset}`;
  const places = new Map(moved.map((one) => [keyOf(one.member, one.from.file, one.from.offset), one]));
  // Names of files in object storage are unique there, whoever wrote them.
  const ownerOf = ({ shared, member }: SavedAt) => (shared ? undefined : member);
  return (at) => (at.offset === undefined ? undefined : places.get(keyOf(ownerOf(at), at.file, at.offset)));
}

/**
 * The record of another page without what names the hosts: where it led to, what it loaded from them, whose bodies it
 * shared. Undefined where nothing has to change.
 */
export function withoutHosts<R extends Partial<PageRecord>>(
  record: R,
  match: Pick<HostMatch, 'url' | 'mentions'>,
  findMoved: FindMoved,
): R | undefined {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (ownWords.has(key)) kept[key] = value;
    else if (key === 'saved') kept[key] = placesIn(value as SavedAt[], findMoved);
    else if (key === 'resources') {
      const loaded = (value as NonNullable<PageRecord['resources']>)
        .filter(({ url }) => !match.url(url))
        .map((resource) => ({ ...resource, saved: placesIn(resource.saved, findMoved) }));
      if (loaded.length > 0) kept[key] = loaded;
    } else {
      const left = withoutMentions(value, match);
      if (left !== undefined) kept[key] = left;
    }
  }
  return JSON.stringify(kept) === JSON.stringify(record) ? undefined : (kept as R);
}

/** A value without every text that names the hosts; undefined where nothing is left of it. */
function withoutMentions(value: unknown, match: Pick<HostMatch, 'mentions'>): unknown {
  if (typeof value === 'string') return match.mentions(value) ? undefined : value;
  if (Array.isArray(value)) {
    const left = value.map((one) => withoutMentions(one, match)).filter((one) => one !== undefined);
    return left.length === 0 && value.length > 0 ? undefined : left;
  }
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const after = before.flatMap(([key, one]) => {
    const left = withoutMentions(one, match);
    return left === undefined || match.mentions(key) ? [] : [[key, left] as const];
  });
  // An element of a list stands for what it names first.
  if (after.length < before.length && 'url' in value && !after.some(([key]) => key === 'url'))
    return undefined;
  return after.length === 0 && before.length > 0 ? undefined : Object.fromEntries(after);
}

function placesIn(saved: readonly SavedAt[], findMoved: FindMoved): SavedAt[] {
  return saved.map((at) => {
    const moved = findMoved(at);
    return moved ? movedTo(at, moved) : at;
  });
}

function movedTo(at: SavedAt, { to, refersTo, shift }: MovedPlace): SavedAt {
  const { revisit, renditions, ...rest } = at;
  const place: SavedAt = { ...rest, ...to };
  if (renditions)
    place.renditions = renditions.map((rendition) => ({ ...rendition, after: rendition.after + shift }));
  if (!refersTo || !revisit) return place;
  const { url, startedAtMs, ...original } = refersTo;
  const next: Revisit = { ...revisit, url: url as Revisit['url'], startedAtMs };
  if (revisit.original) next.original = { ...revisit.original, ...original };
  return { ...place, revisit: next };
}

/** Links that do not lead to the hosts; the same list where none does. */
export function linksWithout(edges: Edge[], match: Pick<HostMatch, 'url'>): Edge[] {
  return edges.some(({ to }) => match.url(to)) ? edges.filter(({ to }) => !match.url(to)) : edges;
}

/** A record that names none of these hosts. */
export function withoutAll(record: PageRecord, matches: readonly HostMatch[]): PageRecord {
  return matches.reduce((kept, match) => withoutHosts(kept, match, () => undefined) ?? kept, record);
}

/** The links of a page that lead to none of these hosts, as they came where all do so. */
export function linksToOthers(
  from: Url,
  edges: Edge[] | PackedEdges,
  matches: readonly HostMatch[],
): Edge[] | PackedEdges {
  const links = 'packed' in edges ? unpackEdges(from, edges.packed) : edges;
  let kept = links;
  for (const match of matches) kept = linksWithout(kept, match);
  return kept === links ? edges : kept;
}
