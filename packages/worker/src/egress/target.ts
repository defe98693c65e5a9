import type { Url } from '@webfarer/protocol';

/** A URL taken apart for the wire. */
export interface Target {
  secure: boolean;
  /** `https://example.org:8443`, without a default port. */
  origin: string;
  /** Host name or IP literal without brackets. */
  host: string;
  /** As the Host header has it: brackets kept, default port left out. */
  authority: string;
  port: number;
  /** Path and query; no fragment. */
  path: string;
}

// A Url is already in WHATWG serialisation, so its parts can be cut out without parsing again.
const shape = /^(https?):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?([^#]*)/;

export function targetOf(url: Url): Target {
  const match = shape.exec(url);
  if (!match) throw new TypeError(`not an absolute http(s) URL: ${url}`);
  const [, scheme, rawHost, portText, rest] = match as unknown as [string, string, string, string?, string?];
  const secure = scheme === 'https';
  const authority = portText === undefined ? rawHost : `${rawHost}:${portText}`;
  const path = rest?.startsWith('/') ? rest : `/${rest ?? ''}`;
  return {
    secure,
    origin: `${scheme}://${authority}`,
    host: rawHost.startsWith('[') ? rawHost.slice(1, -1) : rawHost,
    authority,
    port: portText === undefined ? (secure ? 443 : 80) : Number(portText),
    path,
  };
}
