import type { FailedReason } from '@webfarer/protocol';
import type { FetchFailureReason } from '../fetch/fetch.ts';

/** A way for a request to end that the caller is told as a value; it never leaves the fetch folder. */
export class FetchFault extends Error {
  readonly reason: FetchFailureReason;
  constructor(reason: FetchFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const connectReasons: Record<string, FailedReason> = {
  ECONNREFUSED: 'connect-refused',
  ETIMEDOUT: 'connect-timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  ECONNRESET: 'connection-reset',
  EPIPE: 'connection-reset',
};

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : codeOf(error) || String(error);
}

const noRoute: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']);

/** Errors of a TCP connection attempt, to an address where one is known. */
export function connectFault(error: unknown, ip?: string): FetchFault {
  if (ip?.includes(':') && noRoute.has(codeOf(error)))
    return new FetchFault('no-ipv6', `no IPv6 route to ${ip} (${messageOf(error)})`);
  return new FetchFault(connectReasons[codeOf(error)] ?? 'unreachable', messageOf(error));
}

/** Errors between the TCP connection and the first request byte of https. */
export function tlsFault(error: unknown): FetchFault {
  const dropped = codeOf(error) === 'ECONNRESET' || codeOf(error) === 'EPIPE';
  return new FetchFault(dropped ? 'connection-reset' : 'tls-error', tlsMessage(messageOf(error)));
}

/** OpenSSL's errors name a thread, a function and a source line around the few words that say what is wrong. */
function tlsMessage(message: string): string {
  return /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message;
}

/** Errors of the HTTP exchange itself, as undici reports them. */
export function exchangeFault(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new FetchFault('headers-too-large', 'more headers than allowed');
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new FetchFault('timeout', messageOf(error));
  // Without a complete head, undici's length mismatch stands for a fault of the parser.
  if (isEarlyClose(error) && code !== 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return new FetchFault('connection-reset', messageOf(error));
  return new FetchFault('protocol-error', messageOf(error));
}

const earlyCloseCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
]);

/** The connection ended before the answer did. */
export function isEarlyClose(error: unknown): boolean {
  if (codeOf(error) === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(messageOf(error))) return false;
  return earlyCloseCodes.has(codeOf(error));
}
