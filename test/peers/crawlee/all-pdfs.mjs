// All PDFs of a site with their text: node all-pdfs.mjs SEED FOLDER. Needs unpdf beside Crawlee.
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';
import { extractText } from 'unpdf';

const [seed, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  additionalMimeTypes: ['application/pdf'],
  async requestHandler({ request, contentType, body, enqueueLinks }) {
    const url = request.loadedUrl;
    if (contentType.type !== 'application/pdf') {
      await enqueueLinks({ strategy: 'same-hostname', userData: { page: url } });
      return;
    }
    const path = `${folder}/${createHash('sha1').update(url).digest('hex')}.pdf`;
    writeFileSync(path, body);
    const { text } = await extractText(new Uint8Array(body), { mergePages: true });
    const line = { url, page: request.userData.page, path, text };
    appendFileSync(`${folder}/files.jsonl`, `${JSON.stringify(line)}\n`);
  },
});
await crawler.run([seed]);
