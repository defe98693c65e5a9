import { displayWidth, type Line, type Segment, type Style } from './text.ts';

/** A part of a line that goes as a whole when there is no room. Higher `keep` stays longer. */
export interface Chunk {
  keep: number;
  segments: Segment[];
}

export function chunk(keep: number, ...segments: Segment[]): Chunk {
  return { keep, segments };
}

export function styled(style: Style, text: string): Segment {
  return { style, text };
}

export function segmentText(segment: Segment): string {
  return typeof segment === 'string' ? segment : segment.text;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, segment) => sum + displayWidth(segmentText(segment)), 0);
}

const margin = '  ';
const between = '   ';

/** Joins chunks into one line, leaving out the least important until it fits. */
export function fit(chunks: Chunk[], columns: number): Line {
  let kept = chunks;
  while (kept.length > 1 && lineWidth(joined(kept)) > columns) {
    const least = Math.min(...kept.map((c) => c.keep));
    const drop = kept.findLastIndex((c) => c.keep === least);
    kept = kept.filter((_, i) => i !== drop);
  }
  return joined(kept);
}

function joined(chunks: Chunk[]): Line {
  return chunks.flatMap((c, i) => [i === 0 ? margin : between, ...c.segments]);
}
