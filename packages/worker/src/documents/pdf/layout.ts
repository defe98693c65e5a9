/** A piece of text where it stands on its page; the origin is at the bottom left. */
export interface PdfPiece {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  endsLine: boolean;
}

export interface PdfBlock {
  /** 1 to 6 for headings. */
  level: number | undefined;
  isItem: boolean;
  text: string;
}

interface Line {
  text: string;
  y: number;
  size: number;
}

/** All in sizes of the font. */
const sameLine = 0.5;
const wordGap = 0.15;
const paragraphGap = 1.7;
const headingSize = 1.15;
const sameSize = 0.08;
const maxHeading = 200;
const bullet = /^[•◦▪‣●○■·–]\s*/;

/** What a reader takes for headings, paragraphs and items: a PDF has only pieces of text at places. */
export function layOutPdf(pages: readonly (readonly PdfPiece[])[]): PdfBlock[] {
  const lined = pages.map(linesOf);
  const levels = headingLevels(lined.flat());
  return lined.flatMap((lines) => blocksOf(lines, levels));
}

function linesOf(pieces: readonly PdfPiece[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  let end = 0;
  for (const { text, x, y, width, size, endsLine } of pieces) {
    if (line && Math.abs(line.y - y) > sameLine * Math.max(size, line.size)) line = undefined;
    if (text.trim() !== '') {
      if (!line) lines.push((line = { text: '', y, size }));
      const isApart =
        line.text !== '' && x - end > wordGap * size && !/\s$/.test(line.text) && !/^\s/.test(text);
      line.text += isApart ? ` ${text}` : text;
      line.size = Math.max(line.size, size);
      end = x + width;
    } else if (line && text !== '') line.text += ' ';
    if (endsLine) line = undefined;
  }
  return lines.map((found) => ({ ...found, text: found.text.replace(/\s+/g, ' ').trim() }));
}

/** The size that most of the text has is that of its paragraphs; larger ones are headings, the largest first. */
function headingLevels(lines: readonly Line[]): (size: number) => number | undefined {
  const letters = new Map<number, number>();
  for (const { text, size } of lines)
    letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length);
  const [body] = [...letters].toSorted(([, one], [, other]) => other - one)[0] ?? [0];
  const sizes = [...letters.keys()].filter((size) => size >= body * headingSize).toSorted((a, b) => b - a);
  return (size) => {
    const rank = sizes.indexOf(rounded(size));
    return rank < 0 ? undefined : Math.min(rank + 1, 6);
  };
}

const rounded = (size: number): number => Math.round(size * 2) / 2;

function blocksOf(lines: readonly Line[], levelOf: (size: number) => number | undefined): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const block = blocks.at(-1);
    const item = bullet.exec(line.text);
    if (block && last && !item && continues(last, line)) block.text = joined(block.text, line.text);
    else
      blocks.push({
        level: item ? undefined : levelOf(line.size),
        isItem: item !== null,
        text: item ? line.text.slice(item[0].length) : line.text,
      });
    last = line;
  }
  return blocks
    .filter(({ text }) => text !== '')
    .map((block) => (block.text.length > maxHeading ? { ...block, level: undefined } : block));
}

function continues(last: Line, line: Line): boolean {
  if (Math.abs(last.size - line.size) > sameSize * last.size) return false;
  const down = last.y - line.y;
  return down > 0 && down <= paragraphGap * Math.max(last.size, line.size);
}

/** A word that was divided at the end of a line is one word. */
function joined(text: string, more: string): string {
  return /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(more) ? text.slice(0, -1) + more : `${text} ${more}`;
}
