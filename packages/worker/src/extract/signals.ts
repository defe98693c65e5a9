/** A `<meta name=robots>`, one that names a crawler, or a usage signal: `{ agent: 'robots', content: 'none' }`. */
export interface MetaRobots {
  agent: string;
  content: string;
}

/** What a page asks of crawlers, from its meta elements and its headers together. */
export interface Signals {
  noindex: boolean;
  /** No link of the page is to be followed. */
  nofollow: boolean;
  /** The body is not to be kept. */
  noarchive: boolean;
  /** Every signal seen, as written: `X-Robots-Tag: noindex`, `tdm-reservation: 1`. */
  seen: string[];
}

export interface SignalSources {
  headers: readonly (readonly [string, string])[];
  metaRobots: readonly MetaRobots[];
  /** The product name by which rules may address us alone. */
  agentToken: string;
}

/** Headers and metas that say how content may be used: recorded, not acted upon. */
export const usageSignals: ReadonlySet<string> = new Set([
  'content-usage',
  'content-signal',
  'tdm-reservation',
  'tdm-policy',
]);

const maxSeen = 20;
const maxLength = 200;

/** The strictest of everything addressed to all crawlers or to us. */
export function readSignals({ headers, metaRobots, agentToken }: SignalSources): Signals {
  const signals: Signals = { noindex: false, nofollow: false, noarchive: false, seen: [] };
  const agent = agentToken.toLowerCase();
  const isForUs = (name: string): boolean => name === 'robots' || name === '*' || name === agent;
  const note = (text: string): void => {
    const line = text.replace(/\s+/g, ' ').trim().slice(0, maxLength);
    if (signals.seen.length < maxSeen && !signals.seen.includes(line)) signals.seen.push(line);
  };
  for (const { agent: name, content } of metaRobots) {
    if (usageSignals.has(name)) note(`${name}: ${content}`);
    else if (isForUs(name)) {
      note(`meta ${name}: ${content}`);
      for (const word of content.split(/[,\s]+/)) obey(word.toLowerCase(), signals);
    }
  }
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (usageSignals.has(lower)) note(`${name}: ${value}`);
    else if (lower === 'x-robots-tag') {
      note(`${name}: ${value}`);
      for (const word of directivesFor(value, isForUs)) obey(word, signals);
    }
  }
  return signals;
}

function obey(word: string, signals: Signals): void {
  if (word === 'noindex' || word === 'none') signals.noindex = true;
  if (word === 'nofollow' || word === 'none') signals.nofollow = true;
  if (word === 'noarchive' || word === 'nocache') signals.noarchive = true;
}

/** Directives that take a value behind a colon, so the word before it names no crawler. */
const withValue = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/** `noindex, otherbot: nofollow, noarchive`: a crawler's name holds for all that follows it. */
function directivesFor(value: string, isForUs: (agent: string) => boolean): string[] {
  const found: string[] = [];
  let applies = true;
  for (const part of value.toLowerCase().split(',')) {
    const colon = part.indexOf(':');
    const before = part.slice(0, Math.max(0, colon)).trim();
    // Dates hold colons and spaces; names hold neither.
    const named = /^[^\s]+$/.test(before) && !withValue.test(before);
    if (named) applies = isForUs(before);
    if (applies) found.push((named ? part.slice(colon + 1) : part).trim());
  }
  return found;
}

/** What the signals of a record, as they were noted, ask for. */
export function notedSignals(seen: readonly string[], agentToken: string): Signals {
  const lines = seen.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const ofMeta = lines.filter(([name]) => name.startsWith('meta '));
  return readSignals({
    headers: lines.filter(([name]) => !name.startsWith('meta ')),
    metaRobots: ofMeta.map(([name, content]) => ({ agent: name.slice('meta '.length), content })),
    agentToken,
  });
}
