import { charsetOf, decodeText } from '../extract/charset.ts';
import { decodeBody } from '../bytes/decode.ts';
import { isHtml, parseContentType, sniffMime } from '../extract/mime.ts';
import { type Exchange, header } from '../fetch/fetch.ts';
import { encodingsOf } from '../bytes/headers.ts';

/** As much of a page is looked at. */
const mostBytes = 8_388_608;

/** The source of an HTML page; undefined: it is something else, or cannot be read. */
export async function htmlOf(page: Exchange): Promise<string | undefined> {
  if (page.unread) return undefined;
  const { mime, charset: label } = parseContentType(header(page, 'content-type'));
  if (mime !== '' && !isHtml(mime)) return undefined;
  const decoded = await decodeBody(page.body, encodingsOf(page), { maxBytes: mostBytes });
  if (!decoded.ok) return undefined;
  try {
    const { body } = decoded;
    return isHtml(mime || sniffMime(body))
      ? decodeText(body, charsetOf(body, { label, url: page.url }))
      : undefined;
  } finally {
    decoded.free?.();
  }
}
