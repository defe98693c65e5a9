// The front page of many domains and four pages that it links to: node many-domains.mjs LIST FILE.
import { appendFileSync, readFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';

const [seeds, file] = process.argv.slice(2);
const record = (url, outcome) => appendFileSync(file, `${url},${outcome}\n`);
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  maxConcurrency: 100,
  onSkippedRequest: ({ url, reason }) => record(url, reason),
  async requestHandler({ request, response, enqueueLinks }) {
    record(request.url, response.statusCode);
    if (!request.userData.seed) return;
    await enqueueLinks({ strategy: 'same-hostname', limit: 4, userData: { seed: false } });
  },
  failedRequestHandler({ request }, error) {
    record(request.url, JSON.stringify(error.message));
  },
});
const urls = readFileSync(seeds, 'utf8').trim().split('\n');
await crawler.run(urls.map((url) => ({ url, userData: { seed: true } })));
