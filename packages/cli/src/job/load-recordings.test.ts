import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJobFile, resolveJob } from '@webfarer/protocol/job';
import { patternMatcher } from '@webfarer/protocol/url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJobFile } from '../commands/run.ts';
import { loadRecordings, withRecordings } from './load-recordings.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'webfarer-recordings-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const click = { type: 'click', selectors: [['#more']] };
const put = (name: string, steps: unknown[]) =>
  writeFileSync(join(folder, name), JSON.stringify({ title: 'x', steps }));
const at = (url: string) => ({ type: 'navigate', url });
const written = (rule: string, more = '') =>
  `seeds: [https://shop.example/]\nrender: auto\n${more}steps:\n  - ${rule}\n`;
const parse = (text: string) => parseJobFile(text, 'job.yml', loadRecordings(folder));

describe('recordings of a job file', () => {
  it('are steps when the job has been read, beside the file that names them', async () => {
    put('more.json', [at('https://shop.example/list?b=2&a=1&utm_source=x#top'), click]);
    writeFileSync(join(folder, 'job.yml'), written('recording: more.json'));
    const { input, job } = await readJobFile(join(folder, 'job.yml'), '/');
    expect(job.steps).toMatchObject([{ steps: [{ at: 'steps[0].do[0]', action: { on: ['#more'] } }] }]);
    expect(JSON.stringify(input)).not.toContain('recording');
    expect(resolveJob(input)).toEqual(job);
    const [pattern = ''] = job.steps[0]?.pages ?? [];
    const fits = patternMatcher(pattern);
    expect(fits('https://shop.example/list?a=1&b=2')).toBe(true);
    for (const other of ['/list', '/list?a=1&b=2&page=2', '/', '/x?https://shop.example/list?a=1&b=2'])
      expect(fits(`https://shop.example${other}`)).toBe(false);
  });

  it('are for the pages that the rule names', () => {
    put('more.json', [at('https://shop.example/list'), click]);
    const { job } = parse(written('{ pages: /lists/**, recording: more.json }'));
    expect(job.steps).toMatchObject([{ pages: ['/lists/**'] }]);
  });

  it('know the page as the crawl does', () => {
    put('more.json', [at('https://shop.example/list?b=2&a=1'), click]);
    const { job } = parse(written('recording: more.json', 'normalise: { sort: false }\n'));
    expect(job.steps[0]?.pages).toEqual([{ regex: '^https://shop\\.example/list\\?b=2&a=1$' }]);
  });

  it.each([
    ['is missing', 'gone.json', 'cannot read gone.json: there is no such file'],
    ['has what steps cannot do', 'hover.json', 'hover.json: step 2 (hover) has no counterpart'],
    ['knows no page', 'nowhere.json', 'nowhere.json does not say on which page it was made: add pages'],
  ])('that %s is shown with its line', (_, name, message) => {
    put('hover.json', [at('https://shop.example/'), { type: 'hover', selectors: [['a']] }]);
    put('nowhere.json', [click]);
    let said = '';
    try {
      parse(written(`recording: ${name}`));
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain(`job.yml:4:16: steps[0].recording: ${message}`);
    expect(said).toContain(`| ${' '.repeat(15)}${'^'.repeat(name.length)}`);
    const job = { seeds: ['https://shop.example/'], render: 'auto' as const, steps: [{ recording: name }] };
    expect(() => withRecordings(job, folder)).toThrow(`steps[0].recording: ${message}`);
  });

  it('are not read where there is no file that names them', () => {
    put('more.json', [at('https://shop.example/'), click]);
    const text = written('recording: more.json');
    expect(() => parseJobFile(text, 'job')).toThrow('send the job with webfarer start');
    expect(() => parse(written('{ recording: more.json, do: [{ click: a }] }'))).toThrow(
      'a rule has either do or recording',
    );
    expect(() => parse(written('pages: /list'))).toThrow('a rule needs do: with its steps');
    expect(() => parse(written('recording: 7'))).toThrow('expected a text, not 7');
  });
});
