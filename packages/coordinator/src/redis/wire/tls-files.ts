import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { WebfarerError } from '@webfarer/protocol';
import type { TlsFiles } from '../address/address.ts';

type FileKind = 'ca' | 'cert' | 'key';
const kinds: Readonly<Record<FileKind, { what: string; option: string }>> = {
  ca: { what: 'the certificate of the authority', option: '--store-ca' },
  cert: { what: 'the client certificate', option: '--store-cert' },
  key: { what: 'the private key of the client certificate', option: '--store-key' },
};

/** Read for every new connection: short-lived certificates are replaced while a crawl runs. */
export async function secureContextOf(trust: TlsFiles): Promise<SecureContext> {
  const [ca, cert, key] = await Promise.all([pem('ca', trust), pem('cert', trust), pem('key', trust)]);
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch (error) {
    throw new WebfarerError('usage', unusable(trust, error as NodeJS.ErrnoException), {
      next: 'Give a certificate and the private key that belongs to it, both PEM, the key without a passphrase.',
      cause: error,
    });
  }
}

async function pem(kind: FileKind, trust: TlsFiles): Promise<Buffer | undefined> {
  const { [kind]: file } = trust;
  if (file === undefined) return undefined;
  const { what, option } = kinds[kind];
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new WebfarerError(
      'usage',
      `cannot read ${what} of the store, ${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`,
      { next: `Name a PEM file that this user can read with ${option}.`, cause: error },
    );
  });
  if (!content.includes('-----BEGIN '))
    throw new WebfarerError('usage', `${file} is not a PEM file, so it cannot be ${what} of the store`, {
      next: `Name a file that begins with -----BEGIN with ${option}. DER files: openssl x509 -inform der -in FILE.`,
    });
  return content;
}

function unusable({ ca, cert, key }: TlsFiles, { code = '', message }: NodeJS.ErrnoException): string {
  if (/KEY_VALUES_MISMATCH/.test(code)) return `${key ?? ''} is not the private key of ${cert ?? ''}`;
  if (/MISSING_PASSPHRASE|BAD_DECRYPT|INTERRUPTED/.test(code) || /passphrase|decrypt/i.test(message))
    return `the private key ${key ?? ''} is encrypted`;
  const files = [ca, cert, key].filter((file) => file !== undefined).join(', ');
  return `the certificates of the store cannot be used (${files}): ${message}`;
}
