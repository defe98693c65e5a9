import type { SiteOwnersSettings } from '@webfarer/protocol/api';
import { ownerPaths } from './owner-proof.ts';
import { aboutCrawler } from './site-owners.ts';

/** The page for the owners of sites as plain text, for readers without JavaScript. Undefined: it is not at this path. */
export function ownersText(
  path: string,
  settings: SiteOwnersSettings | undefined,
  version: string,
): Response | undefined {
  if (!settings || path !== '/owners.txt') return undefined;
  const { name, contact, text, userAgent, robotsName, addresses, directory } = aboutCrawler(
    settings,
    version,
  );
  const parts = [
    `This crawler is run by ${name}.`,
    `Contact: ${contact}`,
    `User agent: ${userAgent}`,
    ...(addresses.length > 0 ? [`Addresses: ${addresses.join(', ')}`] : []),
    ...(directory === undefined ? [] : [`Requests are signed; the keys are at ${directory}`]),
    ...(text === undefined ? [] : ['', text]),
    '',
    'To stop it, add this to robots.txt, which is read again after 24 hours at the latest:',
    '',
    `User-agent: ${robotsName}`,
    'Disallow: /',
    '',
    'To slow it down to one request a minute, add this instead:',
    '',
    `User-agent: ${robotsName}`,
    'Crawl-delay: 60',
    '',
    'An answer 429 or 503 with Retry-After makes it wait.',
    `To stop it within a minute, prove at /owners (with JavaScript) that the host is yours, by a file at ${ownerPaths['well-known']}, or write to the contact.`,
  ];
  return new Response(`${parts.join('\n')}\n`, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
