// Products of a shop: node shop-json-ld.mjs SEED FILE.
import { appendFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';

const [seed, file] = process.argv.slice(2);
const nodes = (data) => [data].flat().flatMap((node) => [node, ...nodes(node['@graph'] ?? [])]);
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  async requestHandler({ request, $, enqueueLinks }) {
    const url = request.loadedUrl;
    for (const script of $('script[type="application/ld+json"]').toArray()) {
      for (const node of nodes(JSON.parse($(script).text()))) {
        if (node['@type'] !== 'Product') continue;
        const { price, priceCurrency: currency } = node.offers;
        const image = new URL(node.image, url).href;
        const item = { url, name: node.name, price: Number(price), currency, image };
        appendFileSync(file, `${JSON.stringify(item)}\n`);
      }
    }
    await enqueueLinks({ strategy: 'same-hostname' });
  },
});
await crawler.run([seed]);
