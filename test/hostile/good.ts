const filler = '<p>What a reader came for, told in plain words and at some length.</p>'.repeat(80);

/** An ordinary page of a good host: the front page links to all others, and they to their neighbours. */
export function goodPage(path: string, pages: number): Buffer {
  const own = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? -1);
  const near = Array.from({ length: 10 }, (_, n) => (own + n + 1) % pages);
  const targets = own < 0 ? Array.from({ length: pages }, (_, n) => n) : near;
  const links = targets.map((n) => `<a href="/p${n}">Page ${n}</a>`).join(' ');
  const body = Buffer.from(`<!doctype html><title>Page ${own}</title>${filler}${links}`);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
