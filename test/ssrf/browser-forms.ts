/** How a page may try to reach a place without a person doing anything. `URL` is where to. */
export interface BrowserForm {
  name: string;
  /** Script of the page. */
  script: string;
  /** Whether it arrives where nothing guards the place; what is refused altogether never does. */
  arrives: boolean;
}

const element = (tag: string, attributes: string): string =>
  `document.body.append(Object.assign(document.createElement('${tag}'), { ${attributes} }))`;
const inFrame = (html: string): string => element('iframe', `srcdoc: ${html}`);

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
  { name: 'css-url', script: `document.body.style.backgroundImage = 'url("' + URL + '")'`, arrives: true },
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
    script: `new Worker(window.URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(URL) + ', { mode: "no-cors" })'])))`,
    arrives: true,
  },
  {
    name: 'redirect',
    script: `fetch('/to?' + encodeURIComponent(URL), { mode: 'no-cors' }).catch(() => 0)`,
    arrives: true,
  },
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

/** A page that tries one way with all places. */
export function pageOf(form: BrowserForm, targets: readonly string[]): string {
  const urls = JSON.stringify(targets.map((target) => target.replace('FORM', `by-${form.name}`)));
  return `<!doctype html><link rel=icon href="data:,"><title>${form.name}</title><p>${form.name}</p><script>
    for (const URL of ${urls.replaceAll('<', '\\u003c')}) try { ${form.script} } catch {}
  </script>`;
}
