/** What the lines at the top of a proof, bench or test say to CI. */
export interface Header {
  /** Runs each time, because it reaches furthest for its seconds. */
  core: boolean;
  /** Is begun first, so that it is not left running by itself at the end. */
  long: boolean;
  /** Judges rates or delays: beside one other at most, and judged alone if it fails then. */
  rated: boolean;
  /** Changes what others use: runs by itself. */
  alone: boolean;
  /** A bench whose verdict counts, each time: it judges by ratios of CPU time, which hold beside other load. */
  gate: boolean;
  /** Of a gate: its quick form has the whole verdict. */
  short: boolean;
  /** Files and folders, from the root of the project, whose change may break it. */
  watches: string[];
  /** What nobody would notice without it. */
  misses: string;
}

export function headerOf(text: string): Header {
  const lines = (name: string) =>
    [...text.matchAll(new RegExp(`^// ${name}: (.+)$`, 'gm'))].map(([, rest = '']) => rest.trim());
  const words = new Set(lines('ci').map((line) => /^\w+/.exec(line)?.[0]));
  return {
    core: words.has('core'),
    long: words.has('long'),
    rated: words.has('rated'),
    alone: words.has('alone'),
    gate: words.has('gate'),
    short: words.has('short'),
    watches: lines('watches').flatMap((line) => line.split(/,\s*/)),
    misses: lines('misses').join(' '),
  };
}
