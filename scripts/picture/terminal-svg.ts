/** Colours of the sixteen ANSI names on a dark ground. */
const palette = [
  '#3b4252',
  '#f07178',
  '#a5d6a7',
  '#ffcb6b',
  '#82aaff',
  '#c792ea',
  '#89ddff',
  '#d8dee9',
  '#6b7489',
  '#ff8b92',
  '#c3e88d',
  '#ffe585',
  '#9cc4ff',
  '#e1acff',
  '#a3f7ff',
  '#ffffff',
];
const ground = '#1b1f2a';
const ink = '#d8dee9';
const cell = { width: 8.4, height: 18 };

interface Style {
  colour: string;
  bold: boolean;
  dim: boolean;
}

const plain: Style = { colour: ink, bold: false, dim: false };

/** Where the first line stands, and how far below each other they do. */
export const page = { left: 16, top: 52, line: cell.height };

/** A screen of text with ANSI colours as one SVG, with a window around it. */
export function terminalSvg(screen: string, columns: number): string {
  const lines = screen.replace(/\n+$/, '').split('\n');
  const rows = lines.map((line, n) => row(line, page.left, page.top + n * page.line)).join('\n');
  const label = 'The live view of a crawl in a terminal';
  return windowSvg(rows, { ...windowSize(columns, lines.length), label });
}

export function windowSize(columns: number, lines: number): { width: number; height: number } {
  return { width: Math.round(columns * cell.width + 32), height: lines * cell.height + 56 };
}

/** A window with something in it; `head` stands in front, for styles. */
export function windowSvg(
  body: string,
  { width, height, label, head = '' }: { width: number; height: number; label: string; head?: string },
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
${head}<rect width="${width}" height="${height}" rx="10" fill="${ground}"/>
<g><circle cx="20" cy="18" r="6" fill="#f07178"/><circle cx="40" cy="18" r="6" fill="#ffcb6b"/><circle cx="60" cy="18" r="6" fill="#a5d6a7"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${ink}">
${body}
</g>
</svg>
`;
}

/** Each run of one style stands at its own column, so that no font can shift what follows it. */
export function row(line: string, x: number, y: number): string {
  let style = plain;
  let column = 0;
  const spans: string[] = [];
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) style = restyle(style, part.slice(2, -1));
    else if (part !== '') {
      const length = [...part].length;
      if (part.trim() !== '') spans.push(span(part, style, { x: x + column * cell.width, y, length }));
      column += length;
    }
  }
  return spans.join('');
}

function span(text: string, style: Style, at: { x: number; y: number; length: number }): string {
  const weight = style.bold ? ' font-weight="bold"' : '';
  const opacity = style.dim ? ' opacity="0.6"' : '';
  const size = ` textLength="${(at.length * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${at.x.toFixed(1)}" y="${at.y}" fill="${style.colour}"${weight}${opacity}${size}>${escape(text)}</text>`;
}

function restyle(style: Style, codes: string): Style {
  let next = style;
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next = { ...next, colour: ink };
    else if (code >= 30 && code <= 37) next = { ...next, colour: palette[code - 30] ?? ink };
    else if (code >= 90 && code <= 97) next = { ...next, colour: palette[code - 82] ?? ink };
  }
  return next;
}

function escape(text: string): string {
  // Plain spaces in a row would be drawn as one.
  return text
    .replaceAll(' ', '\u00a0')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
