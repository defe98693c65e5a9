import { getDomain, getPublicSuffix } from 'tldts';
import type { HostKey, SiteKey } from '../base/brands.ts';

/** Groups of sites in a frontier. Fixed for ever: it decides where a site's state lives. */
export const groupCount = 1024;

const options = { allowPrivateDomains: true, validateHostname: false, extractHostname: false };

/** Which public suffix list decides what a site is: part of a cluster's identity and of every crawl.json. */
export const suffixListVersion = 'tldts 7.4.21';

/** The registered domain, private suffixes such as github.io included; hosts without one are themselves. */
export function siteOf(host: HostKey): SiteKey {
  // `example.org.` is the same registered domain as `example.org`, though another host.
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return (getDomain(name, options) ?? name) as SiteKey;
}

export interface HostDomains {
  /** Suffix under which registries sell names: `com`, `co.uk`. */
  registrySuffix?: string;
  /** One label more: `example.co.uk`. */
  registeredDomain?: string;
  /** The same with private suffixes counted: `github.io`, `me.github.io`. */
  privateSuffix?: string;
  privateDomain?: string;
}

/** What the public suffix list says of a host; nothing of addresses and of names it does not know. */
export function domainsOf(host: HostKey): HostDomains {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const isPublic = { ...options, allowPrivateDomains: false };
  const found = {
    registrySuffix: getPublicSuffix(name, isPublic),
    registeredDomain: getDomain(name, isPublic),
    privateSuffix: getPublicSuffix(name, options),
    privateDomain: getDomain(name, options),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)) as HostDomains;
}

/** 0 to 1023. FNV-1a with a final mix, because the low bits of FNV alone are uneven on short names. */
export function groupOf(site: SiteKey): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < site.length; i++) hash = Math.imul(hash ^ site.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (groupCount - 1);
}
