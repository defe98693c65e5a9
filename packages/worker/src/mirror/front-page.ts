/** The page of a mirror that a person opens: the entrance, or a list where the crawl had several. */
export function frontPageOf(entrances: readonly { path: string; title: string }[], name: string): string {
  const [only] = entrances;
  const refresh =
    only && entrances.length === 1
      ? `<meta http-equiv="refresh" content="0; url=${escaped(asHref(only.path))}">\n`
      : '';
  const items = entrances.map(
    ({ path, title }) => `<li><a href="${escaped(asHref(path))}">${escaped(title)}</a></li>\n`,
  );
  const list = items.length === 0 ? '<p>No page was saved.</p>\n' : `<ul>\n${items.join('')}</ul>\n`;
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n${refresh}` +
    `<title>${escaped(name)}</title>\n<h1>${escaped(name)}</h1>\n${list}</html>\n`
  );
}

/** A name in the folder as the address of a link. */
export function asHref(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
