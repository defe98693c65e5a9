import { page, row, windowSize, windowSvg } from './terminal-svg.ts';

/** A terminal at one moment: its lines with ANSI colours, and when it was seen. */
export interface Frame {
  atMs: number;
  lines: string[];
}

export interface FilmSize {
  columns: number;
  rows: number;
}

/** Fewer frames: none sooner than `leastMs` after the one before, but always the last. */
export function thinned(frames: readonly Frame[], leastMs: number): Frame[] {
  const kept: Frame[] = [];
  for (const [i, frame] of frames.entries()) {
    const last = kept.at(-1);
    if (last !== undefined && frame.atMs - last.atMs < leastMs && i === frames.length - 1) kept.pop();
    if (last === undefined || frame.atMs - last.atMs >= leastMs || i === frames.length - 1) kept.push(frame);
  }
  return kept;
}

/** An asciicast, version 2: each event draws the lines that have changed. */
export function castOf(frames: readonly Frame[], size: FilmSize, title: string): string {
  const header = {
    version: 2,
    width: size.columns,
    height: size.rows,
    title,
    env: { TERM: 'xterm-256color' },
  };
  const start = frames[0]?.atMs ?? 0;
  let shown: readonly string[] = [];
  const events = frames.map(({ atMs, lines }) => {
    const changed = Array.from({ length: size.rows }, (_, n) =>
      (lines[n] ?? '') === (shown[n] ?? '') ? '' : `\x1b[${n + 1};1H\x1b[0m${lines[n] ?? ''}\x1b[0m\x1b[K`,
    );
    const clear = shown.length === 0 ? '\x1b[?25l\x1b[2J' : '';
    shown = lines;
    return JSON.stringify([Number(((atMs - start) / 1_000).toFixed(2)), 'o', clear + changed.join('')]);
  });
  return `${[JSON.stringify(header), ...events].join('\n')}\n`;
}

const holdSeconds = 7;

/**
 * A film as one SVG without scripts: all frames below each other behind a window, moved on in steps. Who wants no motion,
 * and whatever cannot move it, shows the last frame. Lines that occur several times are drawn once and used again.
 */
export function filmSvg(
  frames: readonly Frame[],
  { size, seconds, label }: { size: FilmSize; seconds: number; label: string },
): string {
  const { width, height } = windowSize(size.columns, size.rows);
  const start = frames[0]?.atMs ?? 0;
  const lastMs = (frames.at(-1)?.atMs ?? 0) - start;
  const whole = seconds + holdSeconds;
  const steps = frames.map(({ atMs }, n) => {
    const at = ((((atMs - start) / lastMs) * seconds) / whole) * 100;
    return `${at.toFixed(2)}%{transform:translateY(${-n * height}px)}`;
  });
  const rest = `translateY(${-(frames.length - 1) * height}px)`;
  const style = `<style>.film{transform:${rest};animation:film ${whole}s step-end infinite}.bar{transform:scaleX(1);animation:bar ${whole}s linear infinite}@keyframes film{${steps.join('')}100%{transform:${rest}}}@keyframes bar{0%{transform:scaleX(0)}${((seconds / whole) * 100).toFixed(2)}%,100%{transform:scaleX(1)}}@media (prefers-reduced-motion:reduce){.film,.bar{animation:none}}</style>\n`;
  const { defs, body } = drawn(frames, height);
  const bar = `<rect class="bar" y="${height - 3}" width="${width}" height="3" fill="#82aaff" opacity="0.5"/>`;
  const film = `<defs>${defs}<clipPath id="w"><rect width="${width}" height="${height}" rx="10"/></clipPath></defs>
<g clip-path="url(#w)"><g class="film">
${body}
</g>${bar}</g>`;
  return windowSvg(film, { width, height, label, head: style });
}

function drawn(frames: readonly Frame[], height: number): { defs: string; body: string } {
  const ids = new Map<string, string>();
  const idOf = (line: string): string => {
    const id = ids.get(line) ?? `l${ids.size.toString(36)}`;
    ids.set(line, id);
    return id;
  };
  const body = frames.map(({ lines }, n) => {
    const uses = lines.map((line, i) =>
      line.trim() === '' ? '' : `<use href="#${idOf(line)}" y="${page.top + i * page.line}"/>`,
    );
    return `<g transform="translate(0 ${n * height})">${uses.join('')}</g>`;
  });
  const defs = [...ids].map(([line, id]) => `<g id="${id}">${row(line, page.left, 0)}</g>`);
  return { defs: defs.join('\n'), body: body.join('\n') };
}
