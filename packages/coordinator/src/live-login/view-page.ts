import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page of a live view, the same for every login: what it shows comes over its WebSocket. */
export interface ViewPage {
  html: string;
  /** Its script and style and nothing else, no frame around it. */
  policy: string;
}

export function readViewPage(): ViewPage {
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'view', name), 'utf8');
  const [style, script] = [read('view.css'), read('view.js')];
  const parts: Record<string, string> = { style, script };
  return {
    html: read('view.html').replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? ''),
    policy: [
      "default-src 'none'",
      `style-src '${digestOf(style)}'`,
      `script-src '${digestOf(script)}'`,
      'img-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
