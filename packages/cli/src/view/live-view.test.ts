import { expect, test } from 'vitest';
import { eraseDrawn } from '../terminal/canvas.ts';
import { createLiveView } from './live-view.ts';
import { sampleSnapshot } from './snapshot.fixture.ts';
import type { Terminal } from '../terminal/terminal.ts';

function fakeTerminal(): Terminal & { text: string } {
  const terminal = {
    text: '',
    out(text: string) {
      terminal.text += text;
    },
    err() {},
    live: true,
    colour: false,
    columns: () => 100,
    rows: () => 24,
  };
  return terminal;
}

test('a frame replaces the one before it, in one synchronized update', () => {
  const terminal = fakeTerminal();
  const view = createLiveView({ terminal });
  view.show(sampleSnapshot());
  expect(terminal.text).not.toContain('\x1b[5A');
  terminal.text = '';
  view.show(sampleSnapshot({ elapsedMs: 93_000 }));
  expect(terminal.text.startsWith('\x1b[?2026h')).toBe(true);
  expect(terminal.text.endsWith('\x1b[?2026l')).toBe(true);
  expect(terminal.text).toContain('\x1b[5A\r\x1b[J');
  expect(terminal.text).toContain('01:33');
});

test('notes wait for the next frame and scroll away above it', () => {
  const terminal = fakeTerminal();
  const view = createLiveView({ terminal });
  view.show(sampleSnapshot());
  terminal.text = '';
  view.note({ style: 'warn', text: '! something' });
  expect(terminal.text).toBe('');
  view.show(sampleSnapshot());
  expect(terminal.text.indexOf('! something')).toBeLessThan(terminal.text.indexOf('01:32'));
});

test('the end leaves no frame behind and gives the cursor back', () => {
  const terminal = fakeTerminal();
  const view = createLiveView({ terminal });
  view.show(sampleSnapshot());
  view.sticky('finishing 1 request');
  expect(terminal.text).toContain('finishing 1 request');
  terminal.text = '';
  view.end();
  view.end();
  view.show(sampleSnapshot());
  expect(terminal.text).toBe('\x1b[?2026h\x1b[?25l\x1b[6A\r\x1b[J\x1b[?2026l\x1b[?25h');
});

test('lines that a narrower terminal has folded are erased too', () => {
  expect(eraseDrawn(['x'.repeat(90), 'y'], 40)).toBe('\x1b[4A\r\x1b[J');
  expect(eraseDrawn([], 40)).toBe('');
});
