// Pages behind a login form: node behind-a-login.mjs SEED FILE, the password in PASSWORD.
import { appendFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';

const [seed, file] = process.argv.slice(2);
const body = new URLSearchParams({ name: 'reader', password: process.env.PASSWORD });
const answer = await fetch(`${seed}login`, { method: 'POST', body, redirect: 'manual' });
const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ');
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: true,
  sameDomainDelaySecs: 1,
  preNavigationHooks: [({ request }) => Object.assign(request.headers, { cookie })],
  async requestHandler({ request, body: html, enqueueLinks }) {
    appendFileSync(file, `${JSON.stringify({ url: request.loadedUrl, html })}\n`);
    await enqueueLinks({ strategy: 'same-hostname', exclude: ['**/logout**'] });
  },
});
await crawler.run([seed]);
