/** The URLs of a srcset attribute, in order (the parsing rules of the HTML standard, descriptors dropped). */
export function parseSrcset(text: string): string[] {
  return srcsetPlaces(text).map(({ start, end }) => text.slice(start, end));
}

/** Where they stand in it. */
export function srcsetPlaces(text: string): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = [];
  const space = /\s/;
  let i = 0;
  while (i < text.length) {
    while (i < text.length && (space.test(text[i] as string) || text[i] === ',')) i += 1;
    let end = i;
    while (end < text.length && !space.test(text[end] as string)) end += 1;
    const start = i;
    i = end;
    if (start === end) break;
    while (end > start && text[end - 1] === ',') end -= 1;
    if (end > start) places.push({ start, end });
    if (end === i) i = afterDescriptors(text, i);
  }
  return places;
}

/** Descriptors end at a comma outside parentheses. */
function afterDescriptors(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i += 1) {
    const c = text[i];
    if (c === '(') depth += 1;
    else if (c === ')' && depth > 0) depth -= 1;
    else if (c === ',' && depth === 0) return i + 1;
  }
  return text.length;
}
