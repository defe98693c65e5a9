import { type Bomb, html, maker } from '../bomb.ts';

const shown = (kind: 'consoles' | 'dialogs') => {
  const page = maker(kind, 'shown');
  return (name: string, script: string, more: Partial<Bomb> = {}): Bomb =>
    page(
      name,
      () => `<!doctype html><title>Bomb</title><p>Words before it.</p><script>${script}</script>`,
      more,
    );
};
const console = shown('consoles');
const dialog = shown('dialogs');
/** A page that lets nobody read it ends its browser, or its time. */
const ended = { verdict: 'failed', reason: ['render-crash', 'render-timeout'] } as const;
const crashed = { verdict: 'failed', reason: 'render-crash' } as const;
const inWorker = (script: string) =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])));`;

export const consoleBombs: readonly Bomb[] = [
  console('worker', inWorker('for (;;) console.error("x".repeat(100000));'), { says: crashed }),
  console(
    'lines',
    'setInterval(() => { for (let i = 0; i < 2000; i++) console.error("x".repeat(100000)); }, 1);',
  ),
  console(
    'objects',
    'const all = []; for (let i = 0; i < 1e5; i++) all.push({ i }); setInterval(() => console.log(all, all, all), 1);',
  ),
  console(
    'tables',
    'setInterval(() => { for (let i = 0; i < 100; i++) console.table(Array.from({ length: 1000 }, () => ({ a: 1 }))); }, 1);',
  ),
  console(
    'traces',
    'const deep = (n) => n ? deep(n - 1) : console.trace("x".repeat(10000)); setInterval(() => deep(5000), 1);',
  ),
  console(
    'frames',
    'setInterval(() => { const frame = document.body.appendChild(document.createElement("iframe")); frame.contentWindow.console.error("x".repeat(1e6)); }, 5);',
  ),
  console('errors', 'setInterval(() => { throw new Error("x".repeat(100000)); }, 0);'),
  console(
    'rejections',
    'setInterval(() => { for (let i = 0; i < 200; i++) Promise.reject(new Error("x".repeat(10000))); }, 1);',
  ),
  console(
    'requests',
    'setInterval(() => { for (let i = 0; i < 20; i++) fetch("/none?" + Math.random()).catch(() => 0); }, 1);',
  ),
  console(
    'sockets',
    'setInterval(() => { for (let i = 0; i < 20; i++) new WebSocket("ws://" + location.host + "/none"); }, 1);',
  ),
  console(
    'frames-gone',
    'setInterval(() => { for (let i = 0; i < 200; i++) { const f = document.createElement("iframe"); document.body.append(f); f.remove(); } }, 1);',
  ),
  console(
    'workers',
    'setInterval(() => { for (let i = 0; i < 20; i++) new Worker(URL.createObjectURL(new Blob([""]))).terminate(); }, 1);',
  ),
  console(
    'workers-alive',
    'setInterval(() => { for (let i = 0; i < 5; i++) new Worker(URL.createObjectURL(new Blob(["close()"]))); }, 1);',
  ),
  console(
    'blobs',
    'const url = URL.createObjectURL(new Blob(["x".repeat(5e6)])); setInterval(() => { for (let i = 0; i < 10; i++) fetch(url).then((r) => r.text()); }, 1);',
  ),
  console(
    'elements',
    'for (let i = 0; i < 300000; i++) document.body.append(document.createElement("p"), "a");',
  ),
  console(
    'history',
    'let i = 0; setInterval(() => { for (let n = 0; n < 100; n++) history.pushState(0, "", "?" + i++); }, 1);',
  ),
];

export const dialogBombs: readonly Bomb[] = [
  dialog('alerts', 'for (;;) alert("again");', { says: ended }),
  dialog('long', 'for (;;) confirm("x".repeat(1e6));', { says: ended }),
  dialog('prompts', 'for (;;) prompt("a", "x".repeat(1e6));', { says: ended }),
  dialog(
    'leaving',
    'onbeforeunload = (e) => e.preventDefault(); setInterval(() => { location.href = "/none?" + Math.random(); }, 5);',
  ),
  dialog('windows', 'setInterval(() => open("/none", "_blank"), 20);'),
  dialog('prints', 'setInterval(() => print(), 5);'),
  dialog(
    'downloads',
    'setInterval(() => { const a = document.createElement("a"); a.href = "data:application/octet-stream,x"; a.download = "x"; a.click(); }, 5);',
  ),
  dialog(
    'frames',
    'setInterval(() => { const f = document.createElement("iframe"); f.srcdoc = "<script>alert(1)<" + "/script>"; document.body.append(f); }, 5);',
  ),
  dialog('names', 'user', {
    answer: {
      status: 401,
      headers: ['content-type', 'text/html', 'www-authenticate', `Basic realm="${'x'.repeat(10_000)}"`],
      body: html(() => '<p>a').body,
    },
  }),
];
