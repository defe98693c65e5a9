/** More segments than people make by hand. */
const maxSegments = 20;
/** `/a/a/` happens; the third time in a row it is a link that goes nowhere new. */
const maxRepeats = 2;

/**
 * Why a path looks like an endless space, or undefined. Only what shows in the URL itself: one segment,
 * or a short run of segments, repeated in a row, or a path deeper than any site needs.
 */
export function trapRule(pathAndQuery: string): string | undefined {
  if (!mayRepeat(pathAndQuery)) return undefined;
  const path = pathAndQuery.split('?', 1)[0] ?? '';
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > maxSegments) return `path of ${segments.length} segments, at most ${maxSegments}`;
  for (let run = 1; run * (maxRepeats + 1) <= segments.length; run++) {
    const repeated = repeatedRun(segments, run);
    if (repeated !== undefined) return `path repeats "${repeated}" more than ${maxRepeats} times in a row`;
  }
  return undefined;
}

const slash = 0x2f;
const question = 0x3f;

/** False for nearly all paths, at a glance: they are short and no two segments look alike. */
function mayRepeat(path: string): boolean {
  let seen = 0;
  let count = 0;
  let start = 0;
  for (let i = 0; i <= path.length; i++) {
    const c = i < path.length ? path.charCodeAt(i) : question;
    if (c !== slash && c !== question) continue;
    if (i > start) {
      // Segments that are equal have the same length and first letter.
      const bit = 1 << ((i - start) * 7 + path.charCodeAt(start));
      if ((seen & bit) !== 0 || ++count > maxSegments) return true;
      seen |= bit;
    }
    if (c === question) break;
    start = i + 1;
  }
  return false;
}

/** The run of this length that follows itself more often than allowed. */
function repeatedRun(segments: readonly string[], run: number): string | undefined {
  let same = 0;
  for (let i = run; i < segments.length; i++) {
    same = segments[i] === segments[i - run] ? same + 1 : 0;
    if (same >= run * maxRepeats) return segments.slice(i - run + 1, i + 1).join('/');
  }
  return undefined;
}
