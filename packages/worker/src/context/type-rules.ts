import type { HostKey } from '@webfarer/protocol';
import {
  type FileRules,
  savesPage,
  savesType,
  typeOfExtension,
  type TypeRules,
} from '@webfarer/protocol/job';
import { patternMatcher } from '@webfarer/protocol/url';

/** What the policy says about a content type, decided from the header before the body is read. */
export interface TypePolicy {
  /** Read the body at all? Pages are read for their links even when they are not saved. */
  reads(mime: string): boolean;
  saves(mime: string): boolean;
  /** Links and images of this page may be files that the job collects. */
  collectsFrom(page: string): boolean;
  /** By its name it is such a file. */
  collects(url: string): boolean;
}

/** What pages are made of. */
const REQUISITE = /^(image|font)\/|^(text|application)\/(css|javascript|ecmascript|x-javascript)$/;

/** With requisites on, what pages are made of is kept also where a link leads to it, whatever the types say. */
export function isRequisiteType(mime: string): boolean {
  return REQUISITE.test(mime);
}

const LINK_BEARING = /^(text\/html|application\/(xhtml|rss|atom|rdf)\+xml|)$/;

/** The types of a crawl are few, and each page asks about its own several times. Servers may still make up any number. */
const maxTypes = 256;

function remembered(decide: (mime: string) => boolean): (mime: string) => boolean {
  const known = new Map<string, boolean>();
  return (mime) => {
    let answer = known.get(mime);
    if (answer === undefined) {
      if (known.size >= maxTypes) known.clear();
      known.set(mime, (answer = decide(mime)));
    }
    return answer;
  };
}

const never = (): boolean => false;

export function typePolicy(
  rules: TypeRules,
  files?: FileRules,
  seedHosts: readonly HostKey[] = [],
): TypePolicy {
  const collected = { save: files?.types ?? [], ignore: [] };
  const saves = (mime: string) => savesPage(rules, files, mime);
  const ignored = (mime: string) => !savesType({ save: ['*/*'], ignore: rules.ignore }, mime);
  const reads = (mime: string) => saves(mime) || (LINK_BEARING.test(mime) && !ignored(mime));
  const from = files?.from.map((pattern) => patternMatcher(pattern, seedHosts)) ?? [];
  return {
    saves: remembered(saves),
    reads: remembered(reads),
    collectsFrom: files ? (page) => from.some((fits) => fits(page)) : never,
    collects: files
      ? (url) => {
          const type = typeOfExtension(/\.(\w{1,12})(?:[?#]|$)/.exec(url)?.[1] ?? '');
          return type !== undefined && savesType(collected, type);
        }
      : never,
  };
}
