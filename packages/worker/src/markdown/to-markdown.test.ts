import { cpuMs } from '../../../../test/cpu-time.ts';
import { describe, expect, it } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { toMarkdown } from './to-markdown.ts';

const base = 'https://a.example/docs/page';
const markdown = (html: string): string => toMarkdown(readTree(html, { xml: false }).children, { base });

describe('blocks', () => {
  it('are headings, paragraphs, rules and quotes', () => {
    expect(markdown('<h1>One</h1><p>a\n  b<p>c<hr><h3>C #</h3><blockquote><p>d<p>e</blockquote>f')).toBe(
      '# One\n\na b\n\nc\n\n---\n\n### C \\#\n\n> d\n>\n> e\n\nf',
    );
  });

  it('are lists in lists, with the numbers they begin with', () => {
    expect(markdown('<ul><li>a<ol start=3><li>b<li>c</ol><li><p>d</p></ul>')).toBe(
      '- a\n\n  3. b\n  4. c\n- d',
    );
    expect(markdown('<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>')).toBe('- a\n  - b\n- c');
    expect(markdown('<ol><li>a<li><li>c</ol>')).toBe('1. a\n2. \n3. c');
  });

  it('stay two lists where two follow each other', () => {
    expect(markdown('<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>')).toBe(
      '- a\n\n* b\n\n1. c\n\n1) d',
    );
  });

  it('are tasks, terms and details', () => {
    expect(
      markdown('<ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label></ul>'),
    ).toBe('- [x] a\n- [ ] b');
    expect(markdown('<dl><dt>T<dd>x<dd>y</dl><details><summary>S</summary>z</details>')).toBe(
      '**T**\n\n- x\n- y\n\n**S**\n\nz',
    );
  });

  it('keep code as it is, in a fence that nothing in it ends', () => {
    const code = '<pre><code class="hljs language-ts">\nif (a) {\n\n  b = `c`;\n}\n</code></pre>';
    expect(markdown(`<ul><li>x${code}</ul>`)).toBe('- x\n\n  ```ts\n  if (a) {\n\n    b = `c`;\n  }\n  ```');
    expect(markdown('<pre>```\na<br>b</pre>')).toBe('````\n```\na\nb\n````');
  });

  it('leave out what a browser does not show', () => {
    const unseen =
      '<script>s()</script><style>p{}</style><template>t</template><noscript>n</noscript><p hidden>h</p>' +
      '<div style="display: none">d</div><select><option>o</select><svg><title>v</title></svg>';
    expect(markdown(`<title>t</title>${unseen}<p>seen${unseen}`)).toBe('seen');
    // A tab that is not in front is a click away.
    expect(markdown('<div role=tabpanel>npm</div><div role=tabpanel hidden>pnpm</div>')).toBe('npm\n\npnpm');
  });
});

describe('headings', () => {
  it('have their code and no link to themselves', () => {
    const signs =
      '<a class="headerlink" href="#f">¶</a><a href="#f">\u200b</a><a class="anchor" href="#f"><i>#</i></a>';
    expect(markdown(`<h2>The <code>f()</code> call${signs}</h2>`)).toBe('## The `f()` call');
    expect(markdown('<h3><a href="#f">Call</a> <a href="/g">more</a></h3>')).toBe(
      '### Call [more](https://a.example/g)',
    );
    expect(markdown('<h3>Call<a class="header-anchor" href="#f">Permalink</a></h3>')).toBe('### Call');
  });

  it('keep links elsewhere whose text is a sign, and words that link within the page', () => {
    expect(
      markdown('<p><a href="/n">#</a> <a href="#note">*</a> <a class="anchor" href="#n">Links</a></p>'),
    ).toBe(
      '[#](https://a.example/n) [\\*](https://a.example/docs/page#note) [Links](https://a.example/docs/page#n)',
    );
  });
});

describe('admonitions', () => {
  it.each([
    ['Sphinx', '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Hot</p></div>'],
    [
      'Docusaurus',
      '<div class="theme-admonition theme-admonition-warning"><div class="admonitionHeading_x heading">warning</div><p>Hot</div>',
    ],
    [
      'GitHub',
      '<div class="markdown-alert markdown-alert-warning"><p class="markdown-alert-title">Warning</p><p>Hot</p></div>',
    ],
    [
      'VitePress',
      '<div class="warning custom-block"><p class="custom-block-title">WARNING</p><p>Hot</p></div>',
    ],
    ['MDN', '<div class="notecard warning"><p>Hot</p></div>'],
    ['Bootstrap', '<div class="alert alert-warning" role="alert">Hot</div>'],
    [
      'asciidoctor',
      '<div class="admonitionblock warning"><table><tr><td class="icon"><div class="title">Warning</div></td><td>Hot</td></tr></table></div>',
    ],
    ['a class of its own', '<aside class="warning"><p>Hot</p></aside>'],
  ])('of %s keep their kind', (_, html) => {
    expect(markdown(html)).toBe('> [!WARNING]\n>\n> Hot');
  });

  it('keep a title that says more than the kind', () => {
    const html = '<div class="admonition tip"><p class="admonition-title">Faster</p><p>Cache it</p></div>';
    expect(markdown(html)).toBe('> [!TIP]\n>\n> **Faster**\n>\n> Cache it');
    expect(
      markdown('<div class="admonition admonition-custom"><p class="admonition-title">By the way</p>x</div>'),
    ).toBe('> **By the way**\n>\n> x');
  });

  it('are no other boxes', () => {
    expect(
      markdown('<div class="footnote note-list">a</div><div class="alert">b</div><p class="note">c</p>'),
    ).toBe('a\n\nb\n\nc');
  });
});

describe('tables', () => {
  it('have a header, escaped pipes and one cell for each place', () => {
    expect(
      markdown(
        '<table><caption>Cap</caption><tr><th>A|<th>B<th>C<tr><td rowspan=2>1<td colspan=2><code>x|y</code>' +
          '<tr><td><p>p</p><p>q</p><td>z</table>next',
      ),
    ).toBe('Cap\n\n| A\\| | B | C |\n| --- | --- | --- |\n| 1 | `x\\|y` |  |\n|  | p q | z |\n\nnext');
  });

  it('without header cells get an empty header', () => {
    expect(markdown('<table><tr><td>1<td>2<tr><td>3<td>4</table>')).toBe(
      '|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |',
    );
  });

  it('that arrange a page are its text', () => {
    expect(markdown('<table><tr><td>menu<td><h2>Title</h2>text</table>')).toBe('menu\n\n## Title\n\ntext');
    expect(markdown('<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>')).toBe(
      'a\n\nb\n\nc\n\nd',
    );
    expect(markdown('<table>stray<tr><td>a</table>')).toBe('stray\n\na');
  });

  it('do not grow beyond measure by their spans', () => {
    const cells = '<td rowspan=100 colspan=100>x'.repeat(50);
    const rows = `<tr>${cells}`.repeat(50);
    expect(markdown(`<table>${rows}</table>`).length).toBeLessThan(200_000);
  });
});

describe('inline', () => {
  it('what is set high or low stays so', () => {
    expect(markdown('E = mc<sup>2</sup>, H<sub>2</sub>O<sup><a href="#n">1</a></sup>')).toBe(
      'E = mc<sup>2</sup>, H<sub>2</sub>O<sup>[1](https://a.example/docs/page#n)</sup>',
    );
  });

  it('marks stand where Markdown reads them as marks', () => {
    expect(markdown('a<b> b </b>c <i>d</i> <s>e</s>')).toBe('a **b** c _d_ ~~e~~');
    expect(markdown('<b>Note:</b>text')).toBe('**Note:**&#116;ext');
    expect(markdown('x<i>y</i>z')).toBe('&#120;_y_&#122;');
    expect(markdown('<b>a</b><b>b</b><b><b>c</b></b><b> </b>')).toBe('**abc**');
    expect(markdown('<b>a<p>b</p></b>')).toBe('**a**\n\n**b**');
  });

  it('links and images are absolute', () => {
    expect(markdown('wow!<a href="../b?x=1#y">a]</a> <a href="(z)">z</a><img src=i.png alt="[i]">')).toBe(
      'wow\\![a\\]](https://a.example/b?x=1#y) [z](<https://a.example/docs/(z)>)![\\[i\\]](https://a.example/docs/i.png)',
    );
    expect(
      markdown('<a href="javascript:x()">a</a><a href="/e"></a><img src="data:image/png;base64,x">'),
    ).toBe('a');
    expect(markdown('<a href="https://me:secret@b.example/">a</a>')).toBe('[a](https://b.example/)');
  });

  it('code survives backticks and neighbours', () => {
    expect(markdown('<code>a`b</code> <code>c</code><code>d</code> <code>`</code>')).toBe(
      '``a`b`` `cd` `` ` ``',
    );
    expect(markdown('<code><a href="/t">T</a></code>')).toBe('[`T`](https://a.example/t)');
  });

  it('code of very many neighbours takes no longer than other text', () => {
    const before = cpuMs();
    const many = 12_000;
    expect(markdown('<code>`a</code>'.repeat(many))).toBe(`\`\` ${'`a'.repeat(many)} \`\``);
    expect(cpuMs() - before).toBeLessThan(4_000);
  });

  it('breaks break lines, and two of them paragraphs', () => {
    expect(markdown('<p>a<br>b<br><br>c<br></p>')).toBe('a\\\nb\n\nc');
  });

  it.each([
    [
      '*a* _b_ `c` ~d~ \\* [e](f) <g> &amp;amp; snake_case',
      '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\\\\\* \\[e](f) \\&amp; snake_case',
    ],
    ['# a', '\\# a'],
    ['- a', '\\- a'],
    ['1. a', '1\\. a'],
    ['<span>1</span>. a', '1\\. a'],
    ['3.5 a', '3.5 a'],
    ['&gt; a', '\\> a'],
    ['a<br>---', 'a\\\n\\---'],
    ['a | b<br>:-- | --', 'a | b\\\n\\:-- | --'],
  ])('%s stays text', (html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

it('grows in proportion to a page, however deep it is', () => {
  for (const tag of ['div', 'blockquote', 'ul><li', 'table><tr><td', 'b', 'a href="/x"', 'dl><dd']) {
    const deep = `<${tag}>x`.repeat(600);
    expect(markdown(deep).length).toBeLessThan(deep.length * 6);
  }
});
