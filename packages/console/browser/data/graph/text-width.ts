/** As the map writes names: see graph.css. */
const fontSize = '12px';
/** Where the browser tells no widths: about that of a wide letter. */
const usualLetter = 8;

/** How wide a text is on the map, in the font of the page. Letters differ: two names of the same length may be twice as wide. */
export function textWidths(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = `${fontSize} ${getComputedStyle(document.body).fontFamily}`;
  return (text) => context?.measureText(text).width ?? text.length * usualLetter;
}
