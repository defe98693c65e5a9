import type { Url } from '@webfarer/protocol';
import { LinkReader, type LinkUrl, type PageLinks, textOf } from '@webfarer/protocol/link';
import { hostOf } from '@webfarer/protocol/url';
import { isReaderLink } from '../../dependency/reader-links.ts';
import { NumberCounts } from '../../stats/number-counts.ts';
import { PrefixHash } from '../../stats/sketch.ts';
import type { BrokenLinks } from './broken-links.ts';
import { type HostLinks, HostPairs } from './host-pairs.ts';
import { InDegrees } from './in-degrees.ts';

/** What a report shows of the links, gathered in one pass and in bounded memory. */
export interface LinkSurvey {
  links: number;
  inDegrees: InDegrees;
  hosts: HostLinks;
  /** In a sitemap, but linked from no page that was read. */
  onlyInSitemap: { rows: Url[]; total: number };
}

const maxListed = 100_000;

export type PackedPage = Pick<PageLinks, 'from' | 'packed'>;

export async function surveyLinks(
  pages: AsyncIterable<PackedPage>,
  { broken, maxRows }: { broken: BrokenLinks; maxRows: number },
): Promise<LinkSurvey> {
  const survey = new Surveyor(broken);
  for await (const page of pages) await survey.add(page);
  return await survey.result(maxRows);
}

/** Others have their turn after so long: a page may have very many links, and very long ones. */
const turnMs = 25;
/** A look at the clock costs as much as a few links. */
const betweenLooks = 64;

class Turns {
  #count = 0;
  #beganMs = performance.now(); // allow(time): what is measured is this process

  isDue(): boolean {
    this.#count += 1;
    if (this.#count % betweenLooks !== 0) return false;
    return performance.now() - this.#beganMs > turnMs; // allow(time): the same measure of this process
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#beganMs = performance.now(); // allow(time): the same measure of this process
  }
}

/**
 * A crawl has many links a page. None becomes a string unless it is listed: URLs are told apart by hashes of 53 bits,
 * so that two different links of one page count as one in one page of a million million.
 */
class Surveyor {
  readonly #broken: BrokenLinks;
  readonly #brokenHashes: ReadonlySet<number>;
  readonly #inDegrees = new InDegrees();
  readonly #pairs = new HostPairs();
  readonly #listed = new Set<Url>();
  readonly #reader = new LinkReader();
  readonly #own = new PrefixHash();
  readonly #foreign = new PrefixHash();
  readonly #hosts = new LinkedHosts(this.#foreign, (host) => this.#pairs.linked(host));
  /** Links of one page. */
  readonly #here = new NumberCounts();
  readonly #turns = new Turns();
  #links = 0;

  constructor(broken: BrokenLinks) {
    this.#broken = broken;
    this.#brokenHashes = broken.hashes();
  }

  async add({ from, packed }: PackedPage): Promise<void> {
    const reader = this.#reader;
    const here = this.#here;
    here.clear();
    const dead: { to: Url }[] = [];
    let [source, rel, isReader] = [undefined as number | undefined, '', false];
    let isFirst = true;
    this.#own.reset();
    this.#foreign.reset();
    this.#hosts.reset();
    reader.open(from, packed);
    while (reader.next()) {
      if (this.#turns.isDue()) await this.#turns.next();
      const { url, isOwn } = reader;
      const hash = (isOwn ? this.#own : this.#foreign).of(url.codes, url.length, url.shared);
      if (this.#brokenHashes.size > 0 && this.#brokenHashes.has(hash)) dead.push({ to: reader.text() });
      if (reader.rel !== rel) {
        rel = reader.rel;
        isReader = isReaderLink(rel);
      }
      if (!isOwn) this.#hosts.move(url);
      if (rel === 'sitemap' && this.#listed.size < maxListed) this.#listed.add(reader.text());
      if (!isReader) continue;
      this.#links += 1;
      if (here.add(hash) > 1) continue;
      this.#inDegrees.add(hash);
      if (isFirst) source = this.#pairs.crawled(hostOf(from));
      isFirst = false;
      this.#pairs.join(source, isOwn ? source : this.#hosts.number(url));
    }
    if (dead.length > 0) this.#broken.linkedFrom(from, dead);
  }

  async result(maxRows: number): Promise<LinkSurvey> {
    const orphans: Url[] = [];
    for (const url of this.#listed) {
      if (this.#turns.isDue()) await this.#turns.next();
      if (this.#inDegrees.of(url) === 0) orphans.push(url);
    }
    return {
      links: this.#links,
      inDegrees: this.#inDegrees,
      hosts: this.#pairs.result(),
      onlyInSitemap: { rows: orphans.slice(0, maxRows), total: orphans.length },
    };
  }
}

const slash = 0x2f;
/** Origins whose hosts are kept by hash. */
const maxKnown = 100_000;

/** The hosts of links to other origins: looked for again only where the start of the URL has changed. */
class LinkedHosts {
  readonly #hash: PrefixHash;
  readonly #place: (host: string) => number | undefined;
  /** By the hash of what stands before the path. */
  readonly #known = new Map<number, number>();
  #number: number | undefined;
  /** Codes that the host was found in; 0: it is not known. */
  #end = 0;

  constructor(hash: PrefixHash, place: (host: string) => number | undefined) {
    this.#hash = hash;
    this.#place = place;
  }

  reset(): void {
    this.#end = 0;
  }

  move(url: LinkUrl): void {
    if (url.shared < this.#end) this.#end = 0;
  }

  number(url: LinkUrl): number | undefined {
    if (this.#end > 0) return this.#number;
    // Behind the slash that ends the origin: `https://host/`.
    let end = 0;
    for (let slashes = 0; end < url.length && slashes < 3; end++) if (url.codes[end] === slash) slashes++;
    this.#end = end;
    const origin = this.#hash.start(end);
    this.#number = this.#known.get(origin);
    if (this.#number !== undefined) return this.#number;
    this.#number = this.#place(hostOf(textOf(url, end) as Url));
    if (this.#number !== undefined && this.#known.size < maxKnown) this.#known.set(origin, this.#number);
    return this.#number;
  }
}
