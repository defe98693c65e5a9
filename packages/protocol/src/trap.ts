/** More segments than people make by hand. */
const maxSegments = 20;
/** `/a/a/` happens; the third time in a row it is a link that goes nowhere new. */
const maxRepeats = 2;

/**
 * Why a path looks like an endless space, or undefined. Only what shows in the URL itself: one segment,
 * or a short run of segments, repeated in a row, or a path deeper than any site needs.
 */
export function trapRule(pathAndQuery: string): string | undefined {
  const query = pathAndQuery.indexOf('?');
  const path = query < 0 ? pathAndQuery : pathAndQuery.slice(0, query);
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > maxSegments) return `path of ${segments.length} segments, at most ${maxSegments}`;
  for (let run = 1; run * (maxRepeats + 1) <= segments.length; run++) {
    const repeated = repeatedRun(segments, run);
    if (repeated !== undefined) return `path repeats "${repeated}" more than ${maxRepeats} times in a row`;
  }
  return undefined;
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
