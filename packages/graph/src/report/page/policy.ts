import { createHash } from 'node:crypto';

/** Only this style and this script may act: whatever a crawled page put into a title or URL stays text. */
export function securityPolicy({ style, script }: { style: string; script: string }): string {
  return [
    "default-src 'none'",
    `style-src '${sha256(style)}'`,
    `script-src '${sha256(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
