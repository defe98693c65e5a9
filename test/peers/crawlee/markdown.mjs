// Markdown of a site: node markdown.mjs SEED FOLDER. Needs turndown beside Crawlee.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';
import TurndownService from 'turndown';

const [seed, folder] = process.argv.slice(2);
const turndown = new TurndownService({ headingStyle: 'atx' });
mkdirSync(folder, { recursive: true });
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  async requestHandler({ request, $, enqueueLinks }) {
    const url = request.loadedUrl;
    await enqueueLinks({ globs: [`${seed}**`] });
    $('script, style, nav, header, footer, aside').remove();
    for (const { attribs } of $('a[href]').toArray()) attribs.href = new URL(attribs.href, url).href;
    const content = $('main, article, body').first().html() ?? '';
    const front = `---\nurl: "${url}"\ntitle: "${$('title').text()}"\n---\n\n`;
    const name = createHash('sha1').update(url).digest('hex');
    writeFileSync(`${folder}/${name}.md`, front + turndown.turndown(content));
  },
});
await crawler.run([seed]);
