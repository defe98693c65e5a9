import { describe, expect, it } from 'vitest';
import { mirrorName } from './mirror-name.ts';

describe('the name of a copy', () => {
  it.each([
    ['http://a.test/', 'text/html', 'a.test/index.html'],
    ['http://a.test:8080/x/', 'text/html', 'a.test+8080/x/index.html'],
    ['http://[::1]:8080/x', 'text/html', '_1+8080/x.html'],
    ['http://a.test/a.php?b=1&c=2', 'text/html', 'a.test/a.php@b=1_c=2.html'],
    ['http://a.test/a.html?b', 'text/html', 'a.test/a@b.html'],
    ['http://a.test/style.php', 'text/css', 'a.test/style.php.css'],
    ['http://a.test/style.txt', 'text/css', 'a.test/style.txt.css'],
    ['http://a.test/i.png?v=2', 'image/png', 'a.test/i@v=2.png'],
    ['http://a.test/page.html', 'application/octet-stream', 'a.test/page.html.bin'],
    ['http://a.test/con', 'text/html', 'a.test/_con.html'],
    ['http://a.test/aux/nul.txt', 'text/plain', 'a.test/_aux/_nul.txt'],
    ['http://a.test/a%3Ab./c%20', 'text/html', 'a.test/a_b_/c_.html'],
    ['http://a.test/e%CC%81', 'text/html', 'a.test/\u00e9.html'],
    ['http://a.test/%2e%2e%2fx', 'text/html', 'a.test/__x.html'],
  ])('%s (%s)', (url, mime, name) => {
    expect(mirrorName(url, mime)).toBe(name);
  });

  it('is short, however long the URL', () => {
    for (const url of [
      `http://a.test/${'x'.repeat(1_000)}?${'y'.repeat(900)}`,
      `http://a.test/${'d/'.repeat(200)}`,
      `http://${'h'.repeat(63)}.${'h'.repeat(63)}.test/${'%C3%A9'.repeat(300)}/${'%C3%A9'.repeat(300)}`,
    ]) {
      const name = mirrorName(url, 'text/html');
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(180);
      expect(name.endsWith('.html')).toBe(true);
    }
  });
});
