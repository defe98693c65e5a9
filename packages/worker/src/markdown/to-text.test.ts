import { expect, it } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { headingsOf, tablesOf } from './outline.ts';
import { toText } from './to-text.ts';

const nodes = (html: string) => readTree(html, { xml: false }).children;

it('gives each block its line, and code as it is', () => {
  expect(
    toText(
      nodes('<title>t</title><h1>A  b</h1><p>c <b>d</b>e<br>f<ul><li>g<li>h</ul><pre>  i\n\n  j</pre>k'),
    ),
  ).toBe('A b\n\nc de\nf\n\ng\nh\n\n  i\n\n  j\n\nk');
  expect(toText(nodes('<table><tr><td>a<td>b<tr><td>c<td>d</table><script>x</script>'))).toBe('a\tb\nc\td');
});

it('reads shadow trees, which browsers show, and no other templates', () => {
  const shadow = '<x-card><template shadowrootmode="open"><p>in the shadow</p></template></x-card>';
  expect(toText(nodes(`<p>a</p>${shadow}<template><p>no</p></template>`))).toBe('a\n\nin the shadow');
});

it('finds headings with their level and id', () => {
  expect(
    headingsOf(nodes('<h2 id=x>A <i>b</i></h2><h1></h1><div><h6>c<br>d</h6></div><h3 hidden>e</h3>')),
  ).toEqual([
    { level: 2, text: 'A b', id: 'x' },
    { level: 6, text: 'c d', id: undefined },
  ]);
});

it('finds tables of data, with the text of a cell at each place it spans', () => {
  const html =
    '<table><tr><td>layout<td><table><caption>C</caption><thead><tr><td>A<td>B</thead>' +
    '<tr><td rowspan=2>1<td>2<tr><td>3<tr><td colspan=2>4</table></table>';
  expect(tablesOf(nodes(html))).toEqual([
    {
      caption: 'C',
      header: ['A', 'B'],
      rows: [
        ['1', '2'],
        ['1', '3'],
        ['4', '4'],
      ],
    },
  ]);
  expect(tablesOf(nodes('<table><tr><td>a<td>b<tr><td>c<td>d</table>'))).toEqual([
    {
      caption: undefined,
      header: [],
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
  ]);
});
