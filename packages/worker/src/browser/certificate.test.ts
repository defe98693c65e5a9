import { createHash, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeCertificate } from './certificate.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);

it('is a certificate that vouches for itself, for a year', () => {
  const { cert } = makeCertificate(nowMs);
  const read = new X509Certificate(cert);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.subject).toBe('CN=Webfarer');
  expect(read.issuer).toBe('CN=Webfarer');
  expect(new Date(read.validFrom).getTime()).toBe(nowMs - 86_400_000);
  expect(new Date(read.validTo).getTime()).toBe(nowMs + 365 * 86_400_000);
});

it('names its key as Chromium does', () => {
  const { cert, keyDigest } = makeCertificate(nowMs);
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  expect(keyDigest).toBe(createHash('sha256').update(spki).digest('base64'));
});

it('is another one every time', () => {
  const made = Array.from({ length: 20 }, () => new X509Certificate(makeCertificate(nowMs).cert));
  expect(new Set(made.map(({ serialNumber }) => serialNumber)).size).toBe(20);
  expect(new Set(made.map(({ fingerprint256 }) => fingerprint256)).size).toBe(20);
});
