/** How a page may try to reach a place without a person doing anything. `URL` is where to. */
export interface BrowserForm {
  name: string;
  /** Script of the page. */
  script: string;
  /** Whether it arrives where nothing guards the place; what is refused altogether never does. */
  arrives: boolean;
  /** It leaves the page, so nothing else can be tried there. */
  alone?: boolean;
}

const element = (tag: string, attributes: string): string =>
  `document.body.append(Object.assign(document.createElement('${tag}'), { ${attributes} }))`;
const inFrame = (html: string): string => element('iframe', `srcdoc: ${html}`);
/** `before` and `after` stand around the quoted place. */
const written = (before: string, after: string): string =>
  `document.body.insertAdjacentHTML('beforeend', '${before}"' + URL.replaceAll('"', '%22') + '"${after}')`;
/** A frame whose answer has such headers; `value` is script. */
const headed = (name: string, value: string): string =>
  element('iframe', `src: '/with?' + encodeURIComponent(JSON.stringify(['${name}', ${value}]))`);
const inWorker = (kind: string, code: string): string =>
  `new ${kind}(window.URL.createObjectURL(new Blob([${code}])))`;

export const browserForms: readonly BrowserForm[] = [
  { name: 'fetch', script: `fetch(URL, { mode: 'no-cors' }).catch(() => 0)`, arrives: true },
  {
    name: 'post',
    script: `fetch(URL, { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => 0)`,
    arrives: true,
  },
  { name: 'preflight', script: `fetch(URL, { headers: { 'x-own': '1' } }).catch(() => 0)`, arrives: true },
  { name: 'xhr', script: `const x = new XMLHttpRequest(); x.open('GET', URL); x.send()`, arrives: true },
  { name: 'img', script: `new Image().src = URL`, arrives: true },
  { name: 'script', script: element('script', 'src: URL'), arrives: true },
  { name: 'style', script: element('link', `rel: 'stylesheet', href: URL`), arrives: true },
  {
    name: 'css-url',
    script: element('p', `textContent: 'x', style: 'background-image: url("' + URL + '")'`),
    arrives: true,
  },
  { name: 'iframe', script: element('iframe', 'src: URL'), arrives: true },
  {
    name: 'meta-refresh',
    script: inFrame(`'<meta http-equiv=refresh content="0;url=' + URL + '">'`),
    arrives: true,
  },
  {
    name: 'form',
    script: inFrame(`'<form action="' + URL + '"></form><script>document.forms[0].submit()</' + 'script>'`),
    arrives: true,
  },
  { name: 'object', script: element('object', 'data: URL'), arrives: true },
  { name: 'video', script: element('video', `src: URL, preload: 'auto'`), arrives: true },
  { name: 'event-source', script: `new EventSource(URL)`, arrives: true },
  { name: 'beacon', script: `navigator.sendBeacon(URL, 'x')`, arrives: true },
  { name: 'preload', script: element('link', `rel: 'preload', as: 'script', href: URL`), arrives: true },
  {
    name: 'worker',
    script: inWorker('Worker', `'fetch(' + JSON.stringify(URL) + ', { mode: "no-cors" })'`),
    arrives: true,
  },
  {
    name: 'shared-worker',
    script: inWorker('SharedWorker', `'fetch(' + JSON.stringify(URL) + ', { mode: "no-cors" })'`),
    arrives: true,
  },
  {
    name: 'import-scripts',
    script: inWorker('Worker', `'importScripts(' + JSON.stringify(URL) + ')'`),
    arrives: true,
  },
  {
    name: 'sync-xhr',
    script: `const x = new XMLHttpRequest(); x.open('GET', URL, false); x.send()`,
    arrives: true,
  },
  {
    name: 'keep-alive',
    script: `fetch(URL, { mode: 'no-cors', keepalive: true }).catch(() => 0)`,
    arrives: true,
  },
  { name: 'module', script: `import(URL).catch(() => 0)`, arrives: true },
  { name: 'module-preload', script: element('link', `rel: 'modulepreload', href: URL`), arrives: true },
  { name: 'font', script: `new FontFace('own', 'url("' + URL + '")').load().catch(() => 0)`, arrives: true },
  { name: 'css-import', script: element('style', `textContent: '@import "' + URL + '"'`), arrives: true },
  { name: 'srcset', script: `new Image().srcset = URL + ' 2x'`, arrives: true },
  { name: 'input-image', script: element('input', `type: 'image', src: URL`), arrives: true },
  { name: 'embed', script: element('embed', 'src: URL'), arrives: true },
  { name: 'audio', script: element('audio', `src: URL, preload: 'auto'`), arrives: true },
  { name: 'poster', script: element('video', 'poster: URL'), arrives: true },
  { name: 'svg-image', script: written('<svg><image href=', '/></svg>'), arrives: true },
  {
    name: 'background',
    script: written('<table background=', '><tr><td>x</table>'),
    arrives: true,
  },
  { name: 'refresh-header', script: headed('refresh', `'0;url=' + URL`), arrives: true },
  { name: 'link-header', script: headed('link', `'<' + URL + '>; rel=preload; as=script'`), arrives: true },
  {
    name: 'policy-report',
    script: headed('content-security-policy', `"img-src 'none'; report-uri " + URL`),
    arrives: true,
  },
  {
    name: 'redirect',
    script: `fetch('/to?' + encodeURIComponent(URL), { mode: 'no-cors' }).catch(() => 0)`,
    arrives: true,
  },
  {
    name: 'blob-frame',
    script: element(
      'iframe',
      `src: window.URL.createObjectURL(new Blob(['<script>fetch(' + JSON.stringify(URL) + ', { mode: "no-cors" })</' + 'script>'], { type: 'text/html' }))`,
    ),
    arrives: true,
  },
  {
    name: 'data-frame',
    script: element(
      'iframe',
      `src: 'data:text/html,' + encodeURIComponent('<script>fetch(' + JSON.stringify(URL) + ', { mode: "no-cors" })</' + 'script>')`,
    ),
    arrives: true,
  },
  { name: 'icon', script: element('link', `rel: 'icon', href: URL`), arrives: false },
  { name: 'manifest', script: element('link', `rel: 'manifest', href: URL`), arrives: false },
  {
    name: 'speculation',
    script: element(
      'script',
      `type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ urls: [URL], eagerness: 'immediate' }] })`,
    ),
    arrives: false,
  },
  {
    name: 'payment',
    script: `new PaymentRequest([{ supportedMethods: URL }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => 0)`,
    arrives: false,
  },
  {
    name: 'identity',
    script: `navigator.credentials.get({ identity: { providers: [{ configURL: URL, clientId: 'x' }] } }).catch(() => 0)`,
    arrives: false,
  },
  {
    name: 'download',
    script: `Object.assign(document.createElement('a'), { href: URL, download: 'x' }).click()`,
    arrives: false,
    alone: true,
  },
  { name: 'location', script: `setTimeout(() => { location = URL })`, arrives: false, alone: true },
  { name: 'prefetch', script: element('link', `rel: 'prefetch', href: URL`), arrives: false },
  { name: 'dns-prefetch', script: element('link', `rel: 'dns-prefetch', href: URL`), arrives: false },
  { name: 'preconnect', script: element('link', `rel: 'preconnect', href: URL`), arrives: false },
  { name: 'websocket', script: `new WebSocket(URL.replace(/^http/, 'ws'))`, arrives: false },
  { name: 'web-transport', script: `new WebTransport(URL.replace(/^http:/, 'https:'))`, arrives: false },
  { name: 'popup', script: `open(URL)`, arrives: false },
  {
    name: 'ping',
    script: `const a = Object.assign(document.createElement('a'), { ping: URL, href: '#' }); document.body.append(a); a.click()`,
    arrives: false,
  },
  {
    name: 'webrtc',
    script: `const { hostname } = new window.URL(URL);
      const peer = new RTCPeerConnection({ iceServers: ['stun:HOST:80', 'turn:HOST:80?transport=tcp', 'turn:HOST:80?transport=udp']
        .map((urls) => ({ urls: urls.replace('HOST', hostname), username: 'u', credential: 'c' })) });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
    arrives: false,
  },
  {
    name: 'service-worker',
    script: `navigator.serviceWorker?.register('/worker.js?' + encodeURIComponent(URL))`,
    arrives: false,
  },
];

const onPage = 3;

/** Which of the ways are tried on one page, by their places in the list: a page each would take minutes. */
export const browserPages: readonly (readonly number[])[] = (() => {
  const alone: number[][] = [];
  const shared: number[][] = [];
  for (const [at, form] of browserForms.entries()) {
    const last = shared.at(-1);
    if (form.alone) alone.push([at]);
    else if (last && last.length < onPage) last.push(at);
    else shared.push([at]);
  }
  return [...shared, ...alone];
})();

/** A page that tries some ways, each with its places. */
export function pageOf(
  forms: readonly BrowserForm[],
  targetsOf: (form: BrowserForm) => readonly string[],
): string {
  const scripts = forms.map((form) => {
    const urls = JSON.stringify(targetsOf(form).map((target) => target.replace('FORM', `by-${form.name}`)));
    return `for (const URL of ${urls.replaceAll('<', '\\u003c')}) try { ${form.script} } catch {}`;
  });
  const names = forms.map(({ name }) => name).join(', ');
  return `<!doctype html><link rel=icon href="data:,"><title>${names}</title><p>${names}</p>${scripts
    .map((script) => `<script>${script}</script>`)
    .join('')}`;
}
