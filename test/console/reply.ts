/** What a made-up site answers. */
export interface Reply {
  status: number;
  body: string | Buffer;
  headers?: Record<string, string>;
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
