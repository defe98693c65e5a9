// Offline mirror of a site: node offline-mirror.mjs SEED FOLDER.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CheerioCrawler } from '@crawlee/cheerio';

const [seed, folder] = process.argv.slice(2);
function pathOf(url) {
  const { host, pathname, search } = new URL(url);
  const whole = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  const query = search && `${createHash('sha1').update(search).digest('hex').slice(0, 8)}-`;
  const name = whole.split('/').at(-1);
  const safe = (query + (name.includes('.') ? name : `${name}.html`)).replace(/[^\w.-]/g, '_');
  return join(folder, host.replace(':', '_'), dirname(whole), safe);
}
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  additionalMimeTypes: ['*/*'],
  async requestHandler({ request, body, $, addRequests }) {
    const file = pathOf(request.loadedUrl);
    mkdirSync(dirname(file), { recursive: true });
    if (!$) return writeFileSync(file, body);
    const targets = [];
    for (const element of $('[href], [src]').toArray()) {
      for (const name of ['href', 'src']) {
        const url = element.attribs[name] && URL.parse(element.attribs[name], request.loadedUrl);
        if (!url?.href.startsWith(seed)) continue;
        const { hash } = url;
        url.hash = '';
        targets.push(url.href);
        element.attribs[name] = relative(dirname(file), pathOf(url.href)) + hash;
      }
    }
    writeFileSync(file, $.html());
    await addRequests(targets);
  },
});
await crawler.run([seed]);
