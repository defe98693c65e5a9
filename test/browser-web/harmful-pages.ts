import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageRecord } from '@webfarer/protocol';

const page = (script: string) =>
  `<!doctype html><title>Harm</title><link rel=icon href="data:,"><p>Words before it.</p><script>${script}</script>`;

const scripts = {
  loop: 'for (;;);',
  'late-loop': 'setTimeout(() => { for (;;); }, 100);',
  heap: 'const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()));',
  buffers: `const all = []; setInterval(() => { for (let i = 0; i < 4; i++) all.push(new Uint8Array(25_000_000).fill(7)); }, 1);
setInterval(() => fetch('/harm/child?' + Math.random()), 100);`,
  dialogs: 'for (;;) alert("again");',
  popups: 'setInterval(() => open("/harm/child", "_blank"), 20);',
  redirects: 'location.replace("/harm/redirects?" + Math.random());',
  console: 'setInterval(() => { for (let i = 0; i < 2_000; i++) console.error("x".repeat(100_000)); }, 1);',
  'worker-console':
    'new Worker(URL.createObjectURL(new Blob([`for (;;) console.error("x".repeat(100_000));`])));',
  blobs: 'const all = []; setInterval(() => all.push(new Blob([new Uint8Array(50_000_000).fill(7)])), 20);',
  requests: 'setInterval(() => fetch("/harm/child?" + Math.random()).catch(() => 0), 5);',
} as const;
export type Harm = keyof typeof scripts;
export const harms = Object.keys(scripts) as Harm[];

/**
 * How each may end: those that let nobody read them as a failure, the others also as content, as it stood. A page that was
 * killed from outside may end as one that ended its browser.
 */
const ends: Record<Harm, readonly PageRecord['reason'][]> = {
  loop: ['render-timeout', 'render-crash'],
  'late-loop': ['render-timeout', 'render-crash'],
  heap: ['render-timeout', 'render-crash'],
  buffers: ['ok', 'render-timeout', 'render-crash'],
  dialogs: ['render-timeout', 'render-crash'],
  popups: ['ok', 'render-timeout', 'render-crash'],
  redirects: ['ok', 'redirect', 'render-timeout', 'render-crash'],
  console: ['ok', 'render-timeout', 'render-crash'],
  'worker-console': ['render-crash'],
  blobs: ['ok', 'render-timeout', 'render-crash'],
  requests: ['ok', 'render-timeout', 'render-crash'],
};

/** Whether it ended as it may: with a reason, and as content only where there was some to read. */
export function isExpected(harm: string, record: PageRecord | undefined): boolean {
  if (!record) return false;
  return ends[harm as Harm]?.includes(record.reason) ?? false;
}

/** Serves them below /harm/. */
export function harmfulPage(path: string, _request: IncomingMessage, response: ServerResponse): boolean {
  const [, name = ''] = /^\/harm\/([a-z-]+)/.exec(path) ?? [];
  if (name === '') return false;
  const html = { 'content-type': 'text/html' };
  response.writeHead(200, html).end(name in scripts ? page(scripts[name as Harm]) : page('window.seen = 1;'));
  return true;
}

/** A page that waits for an answer, which comes when what is to be done meanwhile is done. */
export function holdPage(path: string, response: ServerResponse, meanwhile: () => void): boolean {
  if (path !== '/hold' && path !== '/held') return false;
  if (path === '/held') meanwhile();
  const body =
    path === '/hold'
      ? page('fetch("/held").then(() => document.body.append("It was worth the wait."));')
      : 'held';
  response.writeHead(200, { 'content-type': path === '/hold' ? 'text/html' : 'text/plain' }).end(body);
  return true;
}
