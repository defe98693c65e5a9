import type { Band, Entry, EntryKind, HostKey, Offer, PageRequest, Url } from '@webfarer/protocol';
import { entryKinds } from '@webfarer/protocol/link';

/**
 * One queued URL as text, `key\ntail`, short because there are billions. Key: the URL behind its host, with
 * `s` before it for https. Tail: kind, tries and deaths of workers as one character each, the band as a letter if
 * it has one (a is 1), the depth, then hops, cost, label with request, and referrer as far as there are any. A referrer on the
 * same scheme and host is stored without them.
 */
export function entryText(offer: Offer, host: HostKey, referrer?: Url): string {
  const head = `${entryKinds.indexOf(offer.kind)}00${bandText(offer)}${offer.depth}`;
  const found = referrer === undefined ? '' : shortReferrer(offer.url, host, referrer);
  let label = offer.label === undefined ? '' : `=${encodeURIComponent(offer.label.toWellFormed())}`;
  if (offer.request !== undefined)
    label += `;${Buffer.from(JSON.stringify(offer.request)).toString('base64url')}`;
  let more = `,${offer.hops || ''},${offer.cost || ''},${label},${found}`;
  if (found === '') more = more.replace(/,+$/, '');
  return `${keyText(offer.url, host)}\n${head}${more}`;
}

const bandLetters = 'abcdefg';

function bandText({ kind, band }: Offer): string {
  return band === undefined || kind === 'sitemap' ? '' : bandLetters.charAt(band - 1);
}

export function keyText(url: Url, host: HostKey): string {
  const https = url.charCodeAt(4) === 0x73;
  return https ? `s${url.slice(8 + host.length)}` : url.slice(7 + host.length);
}

export function urlOfKey(key: string, host: HostKey): Url {
  return (key.startsWith('s') ? `https://${host}${key.slice(1)}` : `http://${host}${key}`) as Url;
}

export function readEntry(key: string, tail: string, host: HostKey): Entry {
  const url = urlOfKey(key, host);
  const [, kind = '0', tries = '0', ends = '0', band = '', depth = '0', more = ''] =
    /^(.)(.)(.)([a-g]?)(\d+)(?:,(.*))?$/s.exec(tail) ?? [];
  const [hops = '', cost = '', label = '', ...referrer] = more.split(',');
  const entry: Entry = {
    url,
    kind: entryKinds[Number(kind)] as EntryKind,
    depth: Number(depth),
    cost: Number(cost),
    hops: Number(hops),
    attempt: Number.parseInt(tries, 36),
  };
  if (ends !== '0') entry.deaths = Number.parseInt(ends, 36);
  if (band !== '') entry.band = (bandLetters.indexOf(band) + 1) as Band;
  if (label !== '') addAsked(entry, label);
  const from = referrer.join(',');
  if (from !== '') entry.referrer = longReferrer(url, host, from);
  return entry;
}

/** `=label`, `;request` or both. */
function addAsked(entry: Entry, text: string): void {
  const [label = '', request] = text.split(';');
  if (label !== '') entry.label = decodeURIComponent(label.slice(1));
  if (request !== undefined)
    entry.request = JSON.parse(Buffer.from(request, 'base64url').toString()) as PageRequest;
}

/** Whether a script can take it apart: see `is_entry` in leases.lua. */
export function isEntryText(text: string): boolean {
  return /^[^\n]*\n[0-3][0-9a-z][0-9a-z][a-g]?\d/.test(text);
}

/** The same entry as if it had never been tried. */
export function freshTail(tail: string): string {
  return `${tail.charAt(0)}00${tail.slice(3)}`;
}

/** The tail of a later offer, with the tries and deaths so far and the place that it has. */
export function mergeTails(old: string, later: string): string {
  const band = /^...([a-g])/.exec(old)?.[1] ?? '';
  return later.charAt(0) + old.slice(1, 3) + band + later.slice(3).replace(/^[a-g]/, '');
}

function originLength(url: Url, host: HostKey): number {
  return (url.charCodeAt(4) === 0x73 ? 8 : 7) + host.length;
}

function shortReferrer(url: Url, host: HostKey, referrer: Url): string {
  const length = originLength(url, host);
  const next = referrer.charAt(length);
  const same = referrer.startsWith(url.slice(0, length)) && (next === '/' || next === ':');
  return same ? referrer.slice(length) : referrer;
}

function longReferrer(url: Url, host: HostKey, from: string): Url {
  return (from.startsWith('h') ? from : url.slice(0, originLength(url, host)) + from) as Url;
}
