/** What a made-up site answers. */
export interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
