// WARC of a site: node archive-and-replay.mjs SEED FILE.warc.gz. Needs warcio beside Crawlee.
import { appendFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';
import { WARCRecord, WARCSerializer } from 'warcio';

const [seed, file] = process.argv.slice(2);
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  additionalMimeTypes: ['*/*'],
  async requestHandler({ request, response, body, $, enqueueLinks }) {
    async function* payload() {
      yield typeof body === 'string' ? new TextEncoder().encode(body) : body;
    }
    const record = WARCRecord.create(
      {
        url: request.loadedUrl,
        date: new Date().toISOString(),
        type: 'response',
        warcVersion: 'WARC/1.1',
        statusline: `HTTP/1.1 ${response.statusCode} `,
        httpHeaders: response.headers,
      },
      payload(),
    );
    appendFileSync(file, await WARCSerializer.serialize(record, { gzip: true }));
    if (!$) return;
    await enqueueLinks({ selector: 'a', strategy: 'same-hostname' });
    const found = $('link[href], img[src], script[src]').toArray();
    const urls = found.map(({ attribs }) => new URL(attribs.href ?? attribs.src, request.loadedUrl).href);
    await enqueueLinks({ urls, strategy: 'same-hostname' });
  },
});
await crawler.run([seed]);
