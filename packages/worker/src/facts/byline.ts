import { readDate } from './date.ts';
import type { JsonLdNode } from './json-ld.ts';
import type { MicrodataItem, MicrodataValue } from './microdata.ts';
import { type Meta, metaNamed } from './survey.ts';
import { fold } from './walk.ts';

/** What a page says about itself in three ways; the first that has an answer decides, and the others are not read. */
export interface Sources {
  jsonLd: readonly JsonLdNode[];
  metas: readonly Meta[];
  microdata: readonly MicrodataItem[];
}

const publishedMetas = [
  'article:published_time',
  'og:published_time',
  'datepublished',
  'citation_publication_date',
  'citation_online_date',
  'parsely-pub-date',
  'sailthru.date',
  'dcterms.created',
  'dcterms.date',
  'dc.date.issued',
  'dc.date',
  'publish-date',
  'publication_date',
  'pubdate',
  'date',
];
const authorMetas = [
  'citation_author',
  'parsely-author',
  'sailthru.author',
  'dcterms.creator',
  'dc.creator',
  'author',
  'article:author',
];

const articleType = /(?:Article|Posting|Report)$/;

/**
 * When the page was published. JSON-LD first, then `<meta>` in the order of `publishedMetas`, then microdata; within
 * JSON-LD and microdata first what is an article, then anything else that has a date. A date that cannot be read is passed over.
 */
export function publishedOf(sources: Sources): string | undefined {
  for (const node of articlesFirst(sources.jsonLd, (each) => texts(each['@type']))) {
    const date = firstDate(texts(node['datePublished']));
    if (date !== undefined) return date;
  }
  for (const name of publishedMetas) {
    const date = firstDate([metaNamed(sources.metas, [name]) ?? '']);
    if (date !== undefined) return date;
  }
  for (const { properties } of articlesFirst(sources.microdata, ({ type }) => type)) {
    const date = firstDate((properties['datePublished'] ?? []).filter((value) => typeof value === 'string'));
    if (date !== undefined) return date;
  }
  return undefined;
}

/** The names of the authors, in the same order of sources; all of them come from one source. */
export function authorsOf(sources: Sources): string[] {
  const { jsonLd, metas } = sources;
  const byId = new Map(jsonLd.map((node) => [node['@id'], node]));
  for (const node of articlesFirst(jsonLd, (each) => texts(each['@type']))) {
    const names = cleanNames(listOf(node['author'] ?? node['creator']).flatMap((who) => nameOf(who, byId)));
    if (names.length > 0) return names;
  }
  for (const name of authorMetas) {
    const named = metas.filter((meta) => meta.name.toLowerCase() === name);
    const names = cleanNames(named.map(({ content }) => content));
    if (names.length > 0) return names;
  }
  for (const { properties } of articlesFirst(sources.microdata, ({ type }) => type)) {
    const names = cleanNames((properties['author'] ?? properties['creator'] ?? []).flatMap(itemName));
    if (names.length > 0) return names;
  }
  return [];
}

function articlesFirst<T>(all: readonly T[], typesOf: (each: T) => readonly string[]): T[] {
  const isArticle = (each: T) => typesOf(each).some((type) => articleType.test(type));
  return [...all.filter(isArticle), ...all.filter((each) => !isArticle(each))];
}

function firstDate(all: readonly string[]): string | undefined {
  for (const text of all) {
    const date = readDate(text);
    if (date !== undefined) return date;
  }
  return undefined;
}

/** An author is a text, an object with a name, or the `@id` of a node elsewhere on the page. */
function nameOf(who: unknown, byId: ReadonlyMap<unknown, JsonLdNode>): string[] {
  if (typeof who === 'string') return texts(byId.get(who)?.['name'] ?? who);
  if (typeof who !== 'object' || who === null) return [];
  const { name, '@id': id } = who as Record<string, unknown>;
  return texts(name ?? byId.get(id)?.['name']);
}

function itemName(value: MicrodataValue): string[] {
  if (typeof value === 'string') return [value];
  return (value.properties['name'] ?? []).filter((name) => typeof name === 'string');
}

const maxNames = 50;
const maxNameChars = 200;

/** Profiles are often linked in place of a name: what is a URL is no name. */
function cleanNames(all: readonly string[]): string[] {
  const names = all
    .map((text) => fold(text.slice(0, maxNameChars)).replace(/^by:?\s+/i, ''))
    .filter((name) => name !== '' && !/^(?:https?:)?\/\//i.test(name));
  return [...new Set(names)].slice(0, maxNames);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function texts(value: unknown): string[] {
  return listOf(value).filter((each) => typeof each === 'string');
}
