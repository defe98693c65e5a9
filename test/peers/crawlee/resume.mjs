// A crawl that can be stopped and resumed: node resume.mjs SEED FOLDER.
import { appendFileSync, mkdirSync } from 'node:fs';
import { CheerioCrawler, Configuration } from '@crawlee/cheerio';

const [seed, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const configuration = new Configuration({ purgeOnStart: false, storageClientOptions: { localDataDirectory: `${folder}/storage` } });
const crawler = new CheerioCrawler(
  {
    respectRobotsTxtFile: true,
    sameDomainDelaySecs: 1,
    async requestHandler({ request, body, enqueueLinks }) {
      appendFileSync(`${folder}/pages.jsonl`, `${JSON.stringify({ url: request.loadedUrl, html: body })}\n`);
      await enqueueLinks({ strategy: 'same-hostname' });
    },
  },
  configuration,
);
await crawler.run([seed]);
