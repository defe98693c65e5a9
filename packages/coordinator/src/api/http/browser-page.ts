import { createHash } from 'node:crypto';
import type { Problem, Route } from '@webfarer/protocol/api';

/** A page without a script, for a person whom another site or a link has sent to a path of the API. */
export interface BrowserPage {
  title: string;
  lines: readonly string[];
  link: { to: string; text: string };
  /** The browser follows the link by itself. */
  forwards?: boolean;
}

/** The palette of the console, in the scheme of the reader's system. */
const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{display:grid;place-items:center;min-height:100vh;margin:0;background:light-dark(#f6f5f1,#14181a);color:light-dark(#1d2326,#e8ebe9)}
main{box-sizing:border-box;width:min(30rem,100%);padding:2rem;overflow-wrap:anywhere}
h1{margin:0;font-size:1.5rem;line-height:1.25;letter-spacing:-.02em}
p{margin:1rem 0 0}
a{color:light-dark(#0b5c7a,#7cc4de)}`;

/** Its style and nothing else. */
export const browserPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function browserPage({ title, lines, link, forwards = false }: BrowserPage): string {
  const [head, to] = [escaped(title), escaped(link.to)];
  const text = lines.map((line) => `<p>${escaped(line)}</p>`).join('');
  const forward = forwards ? `<meta http-equiv="refresh" content="0;url=${to}">` : '';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${forward}<title>${head} · Webfarer</title><style>${style}</style><main><h1>${head}</h1>${text}<p><a href="${to}">${escaped(link.text)}</a></p></main></html>\n`;
}

/** Whether a person reads the answer: the route is for browsers, and one asks. */
export function isForPerson({ answer }: Route, accept: string | undefined): boolean {
  const isPage =
    answer.kind === 'redirect' || (answer.kind === 'text' && answer.type.startsWith('text/html'));
  return isPage && accept?.includes('text/html') === true;
}

/** What a program reads as a problem document. */
export function refusalPage({ code, detail, next }: Problem): string {
  const title = code.startsWith('log-in') ? 'You are not logged in' : 'This did not work';
  const link = { to: '/', text: 'Go to the console' };
  return browserPage({ title, lines: [sentence(detail), next], link });
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

function escaped(text: string): string {
  return text.replace(/[&<>"';]/g, (char) => `&#${char.charCodeAt(0)};`);
}
