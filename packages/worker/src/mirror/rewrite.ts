import { parseUrl } from '@webfarer/protocol/url';
import { charsetOf, decodeText } from '../extract/charset.ts';
import { cssCharset } from '../extract/css.ts';
import { isHtml, isXml } from '../extract/mime.ts';
import { withQueryIn } from '../extract/query-encoding.ts';
import type { Redirected } from './edits.ts';
import type { MirroredCapture } from './mirror-index.ts';
import { rewriteCss } from './rewrite-css.ts';
import { rewriteHtml } from './rewrite-html.ts';
import { rewriteManifest } from './rewrite-manifest.ts';

/** Changes with how files are rewritten, so that those of an earlier version are written again. */
export const rewritingVersion = 3;

type Kind = 'html' | 'css' | 'manifest';

/** What a body is rewritten as; undefined: it is copied as it is. */
export function rewrittenAs({ mime, path }: Pick<MirroredCapture, 'mime' | 'path'>): Kind | undefined {
  if (isHtml(mime) || mime === 'image/svg+xml' || (mime === '' && /\.html?$/.test(path))) return 'html';
  if (mime === 'text/css') return 'css';
  return mime === 'application/manifest+json' || path.endsWith('.webmanifest') ? 'manifest' : undefined;
}

/** A body as it is on disk: its references lead to other files, and its text is UTF-8 whatever its server said. */
export function rewriteBody(capture: MirroredCapture, body: Buffer, redirected: Redirected): Buffer {
  const { url, mime, charset: label, shown } = capture;
  const xml = isXml(mime);
  switch (rewrittenAs(capture)) {
    case 'html': {
      const charset = charsetOf(body, { label, xml, url });
      const text = decodeText(body, charset);
      const html = shown ? text.replace(frameTexts, '$1') : text;
      const found: Redirected = (href, base) => redirected(withQueryIn(charset, href), base);
      const written = rewriteHtml(html, { url, xml, shown, redirected: found, resolveBase });
      return inUtf8(
        xml ? written.replace(/^(<\?xml[^>]*?encoding=)(?:"[^"]*"|'[^']*')/, '$1"utf-8"') : written,
      );
    }
    case 'css':
      return inUtf8(rewriteCss(decodeText(body, cssCharset(body, label)), url, redirected));
    case 'manifest':
      return Buffer.from(rewriteManifest(body.toString(), url, redirected));
    case undefined:
      return body;
  }
}

/** What stood in the frames of a shown page follows it (see `read-page.ts`); here they have files of their own. */
const frameTexts = /<section data-frame="[^]*((?:<\/body>)?<\/html>)$/;

/** Only http(s) can be a base, as for the links of the page when it was crawled. */
function resolveBase(href: string, url: string): string | undefined {
  const base = parseUrl(href, url)?.href;
  return base !== undefined && /^https?:/.test(base) ? base : undefined;
}

const beyondAscii = /[^\x00-\x7f]/;

/** The mark wins over whatever else the text says about its encoding. */
function inUtf8(text: string): Buffer {
  return Buffer.from(beyondAscii.test(text) ? `\ufeff${text.replace(/^\ufeff/, '')}` : text);
}
