import { readFile, stat } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';

/** Where the certificate of a server and its private key are, in PEM. */
export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

export interface TlsPair {
  cert: Buffer;
  key: Buffer;
  /** When the first certificate of the file, the server's own, expires: milliseconds since 1970. */
  expiresAtMs: number;
}

export interface TlsWatchOptions {
  clock: DatedClock;
  /** The files hold another certificate now. */
  changed: (pair: TlsPair) => void;
  /** The certificate in use has expired or will soon; told again each day. */
  expires: (pair: TlsPair) => void;
  /** The files changed to something that cannot be used; the certificate before stays in use. */
  refused: (error: WebfarerError) => void;
}

/** How often it looks whether the files changed. */
const LOOK_MS = 2_000;
const DAY_MS = 86_400_000;
/** An operator is told so long before a certificate expires. */
const SOON_MS = 14 * DAY_MS;

/** Reads both files; throws where they do not belong together, or cannot be read. */
export async function readTlsPair({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
  try {
    createSecureContext({ cert, key });
    return { cert, key, expiresAtMs: new X509Certificate(cert).validToDate.getTime() };
  } catch (error) {
    throw new WebfarerError(
      'usage',
      `${certFile} and ${keyFile} cannot be used for TLS: ${(error as Error).message}`,
      {
        next: 'Give a certificate (with its chain) and the private key it was made for, both as PEM.',
        cause: error,
      },
    );
  }
}

/** Follows both files, so that a renewed certificate needs no restart. Answers how to stop. */
export function watchTlsFiles(files: TlsFiles, pair: TlsPair, options: TlsWatchOptions): () => Promise<void> {
  const stopped = new AbortController();
  let inUse = pair;
  let seen = '';
  let toldAtMs = -Infinity;

  /** Both files are written one after the other: in between they may not match, and the next look finds them. */
  async function look(): Promise<void> {
    const now = await stampOf(files);
    if (now === seen) return;
    const found = await readTlsPair(files);
    seen = now;
    if (found.cert.equals(inUse.cert) && found.key.equals(inUse.key)) return;
    const nowMs = options.clock.wall();
    if (found.expiresAtMs <= nowMs && inUse.expiresAtMs > nowMs) throw expired(files, found);
    inUse = found;
    toldAtMs = -Infinity;
    options.changed(found);
  }

  function tellExpiry(): void {
    const nowMs = options.clock.wall();
    if (inUse.expiresAtMs > nowMs + SOON_MS || nowMs < toldAtMs + DAY_MS) return;
    toldAtMs = nowMs;
    options.expires(inUse);
  }

  async function keepLooking(): Promise<void> {
    let told = '';
    while (!stopped.signal.aborted) {
      try {
        await look();
        told = '';
      } catch (error) {
        const { message } = error as Error;
        if (message !== told && error instanceof WebfarerError) options.refused(error);
        told = message;
      }
      tellExpiry();
      await options.clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
    }
  }

  const looking = keepLooking();
  return async () => {
    stopped.abort();
    await looking;
  };
}

function expired({ certFile }: TlsFiles, { expiresAtMs }: TlsPair): WebfarerError {
  return new WebfarerError(
    'usage',
    `the certificate in ${certFile} expired on ${new Date(expiresAtMs).toISOString().slice(0, 10)}, and the one in use has not`,
    {
      next: 'Put a certificate that is valid into the file. If it is valid, check the clock of this machine.',
    },
  );
}

async function stampOf({ certFile, keyFile }: TlsFiles): Promise<string> {
  const both = await Promise.all([certFile, keyFile].map((file) => stat(file).catch(cannotRead(file))));
  return both.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join(' ');
}

const readPem = (file: string): Promise<Buffer> => readFile(file).catch(cannotRead(file));

function cannotRead(file: string): (error: unknown) => never {
  return (error) => {
    throw new WebfarerError('usage', `${file} cannot be read: ${(error as Error).message}`, {
      next: 'Check the path, and that the user of this process may read the file.',
      cause: error,
    });
  };
}
