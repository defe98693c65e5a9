// Broken links of a site, with the pages they stand on: node broken-links.mjs SEED. Exits with 4 if there are any.
import { CheerioCrawler } from '@crawlee/cheerio';

const [seed] = process.argv.slice(2);
const pagesOf = new Map();
const broken = new Map();
const ids = new Map();
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  maxRequestRetries: 1,
  additionalMimeTypes: ['*/*'],
  async requestHandler({ request, response, $, addRequests }) {
    const url = request.loadedUrl;
    if (response.statusCode >= 400) broken.set(request.url, response.statusCode);
    if (!url.startsWith(seed) || !$) return;
    const anchors = $('[id], a[name]').toArray();
    ids.set(request.url, new Set(anchors.flatMap(({ attribs }) => [attribs.id, attribs.name])));
    for (const { attribs } of $('a[href]').toArray()) {
      const target = URL.parse(attribs.href, url);
      if (!target?.protocol.startsWith('http')) continue;
      pagesOf.set(target.href, (pagesOf.get(target.href) ?? new Set()).add(url));
      const [plain] = target.href.split('#');
      await addRequests([{ url: plain, method: plain.startsWith(seed) ? 'GET' : 'HEAD' }]);
    }
  },
  failedRequestHandler({ request }, error) {
    broken.set(request.url, error.message.split('\n')[0]);
  },
});
await crawler.run([seed]);
let found = 0;
for (const [target, pages] of pagesOf) {
  const [url, fragment] = target.split('#');
  const lost = fragment && ids.has(url) && !ids.get(url).has(decodeURIComponent(fragment));
  const why = broken.get(url) ?? (lost && 'no such anchor');
  if (!why) continue;
  found++;
  console.log(why, target, ...pages);
}
process.exitCode = found > 0 ? 4 : 0;
