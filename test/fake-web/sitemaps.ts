import { gzipSync } from 'node:zlib';
import type { Answer } from './reply.ts';
import { escape } from './body.ts';
import type { Host } from './hosts.ts';
import { leafKind, leafPath, originFor, schemeOf, type WebBase } from './pages.ts';

export function sitemapAnswer(base: WebBase, host: Host, path: string): Answer {
  const xml = path.startsWith('/sitemap_index') ? indexXml(base, host) : listXml(base, host, path);
  const zipped = path.endsWith('.gz');
  const body = Buffer.from(xml);
  return {
    status: 200,
    head: `Content-Type: ${zipped ? 'application/gzip' : 'application/xml'}\r\n`,
    body: zipped ? gzipSync(body) : body,
  };
}

function indexXml(base: WebBase, host: Host): string {
  const own = originFor(base, host, schemeOf(host));
  const files = ['/maps/0.xml.gz', '/maps/1.xml'].map(
    (path) => `<sitemap><loc>${own}${path}</loc></sitemap>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${files.join('\n')}</sitemapindex>`;
}

/** All hidden leaves and every fifth of the others; two files share them, even and odd. */
function listXml(base: WebBase, host: Host, path: string): string {
  const own = originFor(base, host, schemeOf(host));
  const urls: string[] = [];
  for (let leaf = 0; leaf < host.leaves; leaf++) {
    if (path.startsWith('/maps/0') && leaf % 2 === 1) continue;
    if (path.startsWith('/maps/1') && leaf % 2 === 0) continue;
    if (leafKind(base, host, leaf) !== 'hidden' && leaf % 5 !== 0) continue;
    urls.push(
      `<url><loc>${escape(own + leafPath(base, host, leaf))}</loc><lastmod>2026-01-02</lastmod></url>`,
    );
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>`;
}
