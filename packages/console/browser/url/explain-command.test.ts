import { expect, it } from 'vitest';
import { explainCommand } from './explain-command.ts';

it('quotes whatever a site or a person named, so that a shell runs none of it', () => {
  const at = 'http://127.0.0.1:7311';
  expect(explainCommand({ url: 'https://a.test/b', crawl: 'a.test', at })).toBe(
    'webfarer explain https://a.test/b --at http://127.0.0.1:7311 --crawl a.test',
  );
  const url = "https://a.test/?a=$(rm -rf ~)&b='x'\n;reboot";
  expect(explainCommand({ url, crawl: '--help', at })).toBe(
    `webfarer explain 'https://a.test/?a=$(rm -rf ~)&b='\\''x'\\'';reboot' --at ${at} --crawl '--help'`,
  );
});
