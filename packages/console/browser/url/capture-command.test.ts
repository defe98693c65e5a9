import { expect, it } from 'vitest';
import { captureCommand } from './capture-command.ts';

it('reads a capture or a picture of it, and lets no address end the command', () => {
  expect(captureCommand('https://a.test/b')).toBe('webfarer warc cat https://a.test/b --folder FOLDER');
  expect(captureCommand("https://a.test/?q='; rm -rf ~;'", { kind: 'view', mime: 'image/png' })).toBe(
    `webfarer warc cat 'https://a.test/?q='\\''; rm -rf ~;'\\''' --folder FOLDER --rendition view > view.png`,
  );
  expect(captureCommand('https://a.test/', { kind: 'thumbnail', mime: 'image/jpeg; $(x)' })).toMatch(
    /> thumbnail\.jpegx$/,
  );
});
