import { expect, test } from 'vitest';
import { connectWords } from './socket.ts';

const words = (code: string, message = code) =>
  connectWords(Object.assign(new Error(message), { code }), 700);

test('each reason for having no connection has words of its own', () => {
  const codes = [
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EPROTO',
  ];
  const all = codes.map((code) => words(code));
  expect(new Set(all).size).toBe(codes.length);
  for (const [n, code] of codes.entries()) expect(all[n]).not.toContain(code);
});

test('a name that does not exist, a port without TLS and an unknown certificate are told apart', () => {
  expect(words('ENOTFOUND', 'getaddrinfo ENOTFOUND nowhere')).toBe('no such host (DNS)');
  expect(words('ERR_SSL_WRONG_VERSION_NUMBER')).toContain('does not speak TLS');
  expect(words('ERR_SSL_PACKET_LENGTH_TOO_LONG')).toContain('does not speak TLS');
  expect(words('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')).toBe(
    'TLS failed: self-signed certificate',
  );
});
