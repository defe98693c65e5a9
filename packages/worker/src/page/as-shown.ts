import type { Exchange } from '../fetch/fetch.ts';

/** Headers that say what the bytes of an answer are. */
const ofBytes = /^content-(?:type|encoding|length)$/i;

/** The answer with what a browser made of it in place of its body: what links, handlers and readers of text see. */
export function asShown<T extends Exchange>(answer: T, html: string): T {
  const headers = answer.headers.filter(([name]) => !ofBytes.test(name));
  return {
    ...answer,
    headers: [...headers, ['Content-Type', 'text/html; charset=utf-8']],
    body: Buffer.from(html),
  };
}
