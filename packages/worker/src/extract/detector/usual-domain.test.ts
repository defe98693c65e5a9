import { expect, it } from 'vitest';
import { usualDomain } from './usual-domain.ts';
import { cpuMs } from '../../../../../test/cpu-time.ts';

it.each([
  ['<html lang="cs">', 'https://example.com/', 'cz'],
  ['<html dir=ltr lang=ja-JP>', 'https://example.com/', 'jp'],
  ['<html lang="zh-Hant">', '', 'tw'],
  ['<html lang=zh>', '', 'cn'],
  ['<html lang="pl">', 'https://example.de/', 'pl'],
  ['<html lang="en">', 'https://example.ru/', 'ru'],
  ['<html lang="en-US">', 'https://example.com/', 'uk'],
  ['<html>', 'https://www.example.co.th:8080/path.html', 'th'],
  ['<html hreflang="cs">', 'http://example.xn--p1ai', 'xn--p1ai'],
  ['', 'http://192.0.2.1/', ''],
  ['', '', ''],
])('%s at %s is written as under .%s', (page, url, domain) => {
  expect(usualDomain(page, url)).toBe(domain);
});

it('takes no longer on a page made to keep it busy', () => {
  const began = cpuMs();
  usualDomain('<html '.repeat(3_000), `http://${'a.'.repeat(10_000)}`);
  expect(cpuMs() - began).toBeLessThan(1_000);
});
