export interface HeaderLink {
  href: string;
  rel: string;
}

/** The links of a `Link:` header (RFC 8288), those with a rel only. */
export function parseLinkHeader(value: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  let i = 0;
  while (links.length < 100) {
    const open = value.indexOf('<', i);
    if (open < 0) break;
    const close = value.indexOf('>', open);
    if (close < 0) break;
    const end = endOfParameters(value, close + 1);
    const words = relOf(value.slice(close + 1, end));
    if (words !== undefined) links.push({ href: value.slice(open + 1, close).trim(), rel: words });
    i = end + 1;
  }
  return links;
}

/** The first `rel` among the parameters; what stands in quotes is no parameter. */
function relOf(parameters: string): string | undefined {
  for (const [, name = '', quoted, plain] of parameters.matchAll(parameter))
    if (name.toLowerCase() === 'rel') return quoted ?? plain ?? '';
  return undefined;
}

const parameter = /(?:^|;)\s*([^\s=;,"]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]*)))?/g;

/** Parameters end at a comma outside quotes. */
function endOfParameters(value: string, from: number): number {
  let quoted = false;
  for (let i = from; i < value.length; i += 1) {
    if (value[i] === '"') quoted = !quoted;
    else if (value[i] === ',' && !quoted) return i;
  }
  return value.length;
}
