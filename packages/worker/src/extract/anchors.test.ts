import { expect, test } from 'vitest';
import { readAnchors } from './anchors.ts';

test('reads ids, names of anchors and links with their fragments', () => {
  const { links, places, base } = readAnchors(
    `<base href="/docs/"><a name=old href="#one">One</a><p id="a&amp;b">x</p><input name="no" id=field>
     <svg><g id="shape"/></svg><script>'<p id="script">'</script><!-- <p id="comment"> -->
     <a href="other#two">Two</a><img src="i.png#three">`,
    { xml: false },
  );
  expect([...places].toSorted()).toEqual(['a&b', 'field', 'old', 'shape']);
  expect(links).toEqual([
    { href: '#one', rel: 'a', text: 'One' },
    { href: 'other#two', rel: 'a', text: 'Two' },
  ]);
  expect(base).toBe('/docs/');
});
