import { addedPaths } from './epoch.ts';
import { hash } from './hash.ts';
import { type Host, siteMembers, slotsPerBlock } from './hosts.ts';
import {
  dirsPerHub,
  forbiddenExtras,
  indexCount,
  isListed,
  isServing,
  leafPath,
  leavesPerIndex,
  originFor,
  publicUrl,
  publicUrls,
  schemeOf,
  type WebBase,
} from './pages.ts';

/** Absolute, normalised URLs that a page leads to, in the order they stand on it. */
export function homeLinks(base: WebBase, host: Host): string[] {
  const own = originFor(base, host, schemeOf(host));
  const links: string[] = [];
  for (let n = 0; n < indexCount(host); n++) links.push(`${own}/index/${n}`);
  for (const path of forbiddenExtras(host)) links.push(own + path);
  // A crawl that stays within a site must find all of it.
  for (const member of siteMembers(base.size, host)) links.push(...publicUrls(base, base.host(member)));
  if (host.hub) links.push(...hubLinks(base, host, own));
  return links;
}

function hubLinks(base: WebBase, host: Host, own: string): string[] {
  const links: string[] = [];
  for (let n = 0; n < dirsPerHub; n++) links.push(`${own}/dir/${n}`);
  // Hubs form a binary tree, so the deepest page of the largest web is about 12 links from the first.
  const block = host.index / slotsPerBlock;
  for (const child of [2 * block + 1, 2 * block + 2]) {
    const index = child * slotsPerBlock;
    if (index < base.hosts) links.push(...publicUrls(base, base.host(index)));
  }
  return links;
}

/** One page of a hub's directory: what a few hosts of its block show to others. */
export function dirLinks(base: WebBase, host: Host, dir: number): string[] {
  const perDir = slotsPerBlock / dirsPerHub;
  const links: string[] = [];
  for (let n = 0; n < perDir; n++) {
    const index = host.index + dir * perDir + n;
    if (index < base.hosts) links.push(...publicUrls(base, base.host(index)));
  }
  return links;
}

export function indexLinks(base: WebBase, host: Host, index: number): string[] {
  const own = originFor(base, host, schemeOf(host));
  const links = [`${own}/`];
  const end = Math.min(host.leaves, (index + 1) * leavesPerIndex);
  for (let leaf = index * leavesPerIndex; leaf < end; leaf++) {
    if (isListed(base, host, leaf)) links.push(own + leafPath(base, host, leaf));
  }
  if (index === 0) links.push(...addedPaths(base, host).map((path) => own + path));
  return links;
}

/** Home, index, a few leaves of the same host and a few pages elsewhere. Nothing that is not listed. */
export function leafLinks(base: WebBase, host: Host, leaf: number): string[] {
  const own = originFor(base, host, schemeOf(host));
  const links = [`${own}/`];
  if (isServing(host)) links.push(`${own}/index/${Math.floor(leaf / leavesPerIndex)}`);
  const inner = !isServing(host) ? 0 : 3 + (hash(base.seed, host.index, leaf, 20) % 4);
  for (let n = 0; n < inner; n++) {
    const other = hash(base.seed, host.index, leaf, 30 + n) % host.leaves;
    if (isListed(base, host, other)) links.push(own + leafPath(base, host, other));
  }
  const outer = 1 + (hash(base.seed, host.index, leaf, 21) % 3);
  for (let n = 0; n < outer; n++) links.push(awayLink(base, host, leaf, 40 + n));
  return links;
}

/** A public page of some other host; a tenth of all links go to the first hub, as the web has its giants. */
export function awayLink(base: WebBase, host: Host, leaf: number, salt: number): string {
  const chance = hash(base.seed, host.index, leaf, salt);
  const index = chance % 10 === 0 ? 0 : (chance >>> 4) % base.hosts;
  return publicUrl(base, base.host(index), chance >>> 8);
}
