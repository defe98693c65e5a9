import { savesType, type TypeRules } from '@webfarer/protocol/job';

/** What the policy says about a content type, decided from the header before the body is read. */
export interface TypePolicy {
  /** Read the body at all? Pages are read for their links even when they are not saved. */
  reads(mime: string): boolean;
  saves(mime: string): boolean;
}

/** What pages are made of. */
const REQUISITE = /^(image|font)\/|^(text|application)\/(css|javascript|ecmascript|x-javascript)$/;

/** With requisites on, what pages are made of is kept also where a link leads to it, whatever the types say. */
export function isRequisiteType(mime: string): boolean {
  return REQUISITE.test(mime);
}

const LINK_BEARING = /^(text\/html|application\/(xhtml|rss|atom|rdf)\+xml|)$/;

export function typePolicy(rules: TypeRules): TypePolicy {
  const saves = (mime: string) => savesType(rules, mime);
  const ignored = (mime: string) => !savesType({ save: ['*/*'], ignore: rules.ignore }, mime);
  return { saves, reads: (mime) => saves(mime) || (LINK_BEARING.test(mime) && !ignored(mime)) };
}
