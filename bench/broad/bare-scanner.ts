import { normaliser } from '@webfarer/protocol/url';
import { charsetOf, decodeText, extractLinks } from '@webfarer/worker';
import { crawlBare } from './bare-loop.ts';

/** The bare engine with our own link scanner and URL rules: against it, the ratio is the cost of the rest. */
const normalise = normaliser({ enabled: false, sort: false, strip: [] });

await crawlBare((body, url) => {
  const page = extractLinks(decodeText(body, charsetOf(body, {})), { url, resolve: normalise });
  const links = new Set<string>();
  for (const { url: to, rel } of page.links)
    if (to !== undefined && (rel === 'a' || rel === 'area')) links.add(to);
  return links;
});
