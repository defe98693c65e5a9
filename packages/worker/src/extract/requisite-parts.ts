import { charsetOf, decodeLargeText } from './charset.ts';
import { readStyleSheet } from './css.ts';
import { extractLinksOfLarge } from './links.ts';

/** Something that a requisite needs in turn. */
export interface RequisitePart {
  href: string;
  rel: string;
}

export interface PartsOptions {
  url: string;
  mime: string;
  /** The charset parameter of the content type. */
  label: string | undefined;
}

/** What a style sheet, a drawing or a web app manifest refers to; nothing for all other requisites. */
export async function requisiteParts(body: Buffer, options: PartsOptions): Promise<RequisitePart[]> {
  const { url, mime, label } = options;
  if (mime === 'text/css') return await readStyleSheet(body, label);
  if (mime === 'application/manifest+json') return manifestImages(body);
  if (mime !== 'image/svg+xml') return [];
  const text = await decodeLargeText(body, charsetOf(body, { label, xml: true, url }));
  const { links } = await extractLinksOfLarge(text, { url, xml: true, styles: true });
  return links.filter(({ use }) => use === 'requisite').map(({ href, rel }) => ({ href, rel }));
}

const maxImages = 1_000;
/** It is read in one go. Most have a few kilobytes. */
const maxManifestBytes = 131_072;

/** Icons, screenshots and icons of shortcuts; a manifest that is no JSON, or far too long for one, has none. */
function manifestImages(body: Buffer): RequisitePart[] {
  if (body.length > maxManifestBytes) return [];
  const found: RequisitePart[] = [];
  try {
    JSON.parse(body.toString(), (key, value: unknown) => {
      if (key === 'src' && typeof value === 'string' && found.length < maxImages)
        found.push({ href: value, rel: 'manifest:image' });
      return value;
    });
  } catch {
    return [];
  }
  return found;
}
