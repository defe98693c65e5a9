import { isIP } from 'node:net';
import { WebfarerError } from '@webfarer/protocol';
import { findBrowser } from './find-browser.ts';

/** Where pages are shown. */
export type BrowserPlace = { kind: 'program'; path: string } | BrowserElsewhere;

/** A browser that another program started, here or on another machine. */
export interface BrowserElsewhere {
  kind: 'elsewhere';
  /** Of its DevTools protocol. It may hold a token, and whoever has it controls the browser. */
  url: string;
  /** Scheme, host and port of it: what may be printed. */
  name: string;
  /** Where it reaches the proxy of this worker. */
  proxy: ProxyAddress;
}

export interface ProxyAddress {
  /** An address of this machine. */
  host: string;
  /** 0: any. */
  port: number;
}

export interface PlaceSettings {
  /** The program of a browser, or the address of one elsewhere; undefined: the program in the usual place. */
  browser: string | undefined;
  /** ADDRESS:PORT for the proxy; undefined: on loopback, at any port. */
  browserProxy: string | undefined;
  /** Which of several processes of a worker this is, counted from 1: each listens at a port of its own. */
  process: number | undefined;
}

const ownMachine: ProxyAddress = { host: '127.0.0.1', port: 0 };

/** Undefined: there is no browser. Throws where the settings cannot be used. */
export function browserPlace({ browser, browserProxy, process }: PlaceSettings): BrowserPlace | undefined {
  const text = browser ?? findBrowser();
  if (text === undefined) return undefined;
  if (!isElsewhere(text)) return { kind: 'program', path: text };
  const [, scheme = '', host = ''] = /^(\w+):\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text) ?? [];
  const name = `${scheme.toLowerCase()}://${host}`;
  if (host === '')
    throw new WebfarerError('no-browser', `WEBFARER_BROWSER has no host: ${name}`, {
      next: 'For example WEBFARER_BROWSER=http://127.0.0.1:9222, or the path of a program.',
    });
  if (browserProxy !== undefined) {
    const { host: at, port } = parseProxy(browserProxy);
    return { kind: 'elsewhere', url: text, name, proxy: { host: at, port: port + (process ?? 1) - 1 } };
  }
  if (/^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/i.test(host))
    return { kind: 'elsewhere', url: text, name, proxy: ownMachine };
  throw new WebfarerError('no-browser', `the browser at ${name} cannot reach the loopback of this machine`, {
    next: 'Set WEBFARER_BROWSER_PROXY=ADDRESS:PORT to an address of this machine that the browser reaches.',
  });
}

/** Rather than the path of a program. */
export function isElsewhere(browser: string): boolean {
  return /^(?:wss?|https?):\/\//i.test(browser);
}

function parseProxy(text: string): ProxyAddress {
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits ?? 0);
  if (host === '0.0.0.0' || host === '::')
    throw new WebfarerError('no-browser', `WEBFARER_BROWSER_PROXY=${text} is the wildcard address`, {
      next: 'Nothing can connect to it. Name the one address of this machine that the browser reaches.',
    });
  if (isIP(host) !== 0 && port > 0 && port <= 65_535) return { host, port };
  throw new WebfarerError('no-browser', `WEBFARER_BROWSER_PROXY=${text} is not an IP address and a port`, {
    next: 'For example WEBFARER_BROWSER_PROXY=10.0.0.5:3128. Names do not work: the browser looks up none.',
  });
}

/** As the browser is told it. */
export function proxyUrl({ host, port }: ProxyAddress): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
