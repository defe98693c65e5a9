import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { castOf, filmSvg, type Frame, thinned } from './picture/film.ts';

const doc = (name: string) => readFileSync(resolve(import.meta.dirname, '../docs', name), 'utf8');

it('docs/network.cast is an asciicast that ends with the judgement', () => {
  const text = doc('network.cast');
  expect(text.length).toBeLessThan(300_000);
  const [header, ...events] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(header).toMatchObject({ version: 2, width: 104 });
  const times = events.map(([at]: [number]) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const said = stripVTControlCharacters(events.map((event: string[]) => event[2]).join('\n'));
  for (const name of ['worker-2', 'coordinator-1', 'store-1']) {
    expect(said).toContain(`✗ killed ${name}`);
    expect(said).toContain(`✓ ${name} is back`);
  }
  expect(said).toContain('lost 0   extra 0   twice 0   disallowed 0   gap violations 0');
});

it('docs/network.svg is small, has no script, draws what it uses, and can stand still', () => {
  const text = doc('network.svg');
  expect(Buffer.byteLength(text)).toBeLessThan(400_000);
  expect(text).not.toContain('<script');
  expect(text).toContain('prefers-reduced-motion:reduce');
  const ids = new Set(Array.from(text.matchAll(/ id="(\w+)"/g), ([, id]) => id));
  for (const [, id] of text.matchAll(/href="#(\w+)"/g)) expect(ids).toContain(id);
});

const frame = (atMs: number, ...lines: string[]): Frame => ({ atMs, lines });

it('keeps the last frame, draws only the lines that changed, and rests on the last', () => {
  const frames = [frame(0, 'a', 'b'), frame(100, 'a', 'c'), frame(700, 'a', 'd'), frame(800, 'a', 'e')];
  expect(thinned(frames, 500).map(({ atMs }) => atMs)).toEqual([0, 800]);
  const cast = castOf([frame(0, 'a', 'b'), frame(800, 'a', 'e')], { columns: 10, rows: 2 }, 't').split('\n');
  expect(JSON.parse(cast[2] ?? '')).toEqual([0.8, 'o', '\x1b[2;1H\x1b[0me\x1b[0m\x1b[K']);
  const svg = filmSvg(frames, { size: { columns: 10, rows: 2 }, seconds: 4, label: 't' });
  expect(svg.match(/>a</g)).toHaveLength(1);
  expect(svg).toContain('.film{transform:translateY(-276px)');
});
