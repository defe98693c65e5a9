// Recrawl with what changed: node recrawl.mjs SEED FOLDER, every day.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';

const [seed, folder] = process.argv.slice(2);
const file = `${folder}/state.json`;
mkdirSync(folder, { recursive: true });
const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const now = {};
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  async requestHandler({ request, body, enqueueLinks }) {
    now[request.loadedUrl] = createHash('sha1').update(body).digest('hex');
    await enqueueLinks({ strategy: 'same-hostname' });
  },
});
await crawler.run([seed]);
for (const url of new Set([...Object.keys(before), ...Object.keys(now)])) {
  if (before[url] === now[url]) continue;
  console.log(!before[url] ? 'new' : !now[url] ? 'gone' : 'changed', url);
}
writeFileSync(file, JSON.stringify(now));
