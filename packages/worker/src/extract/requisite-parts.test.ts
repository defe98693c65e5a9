import { describe, expect, it } from 'vitest';
import { requisiteParts } from './requisite-parts.ts';

const partsOf = async (mime: string, text: string) =>
  (await requisiteParts(Buffer.from(text), { url: 'http://a.test/x/y', mime, label: undefined })).map(
    ({ href, rel }) => `${rel} ${href}`,
  );

describe('what a requisite needs', () => {
  it('is in style sheets, drawings and manifests', async () => {
    expect(await partsOf('text/css', '@import "a.css"; b{c:url(d.png)}')).toEqual([
      'css:import a.css',
      'css d.png',
    ]);
    expect(
      await partsOf(
        'image/svg+xml',
        '<svg xmlns="http://www.w3.org/2000/svg"><style>a{b:url(c.png)}</style><image href="i.png"/><use href="#x"/><a href="/p"/></svg>',
      ),
    ).toEqual(['css c.png', 'svg:image i.png']);
    expect(
      await partsOf(
        'application/manifest+json',
        '{"icons":[{"src":"i.png"}],"shortcuts":[{"icons":[{"src":"j.png"}]}]}',
      ),
    ).toEqual(['manifest:image i.png', 'manifest:image j.png']);
  });

  it('is looked for in large drawings while others have their turn, and not in manifests that are none', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    const drawing = `<svg>${'<g><path d="M0 0"/></g>'.repeat(50_000)}<image href="i.png"/></svg>`;
    expect(await partsOf('image/svg+xml', drawing)).toEqual(['svg:image i.png']);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
    const manifest = `{"icons":[${'{"src":"i.png"},'.repeat(10_000)}{}]}`;
    expect(await partsOf('application/manifest+json', manifest)).toEqual([]);
  });

  it('is nothing elsewhere', async () => {
    expect(await partsOf('application/manifest+json', '{"icons"')).toEqual([]);
    expect(await partsOf('text/javascript', 'import "./x.js"')).toEqual([]);
  });
});
