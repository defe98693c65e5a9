import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Job, WebfarerError } from '@webfarer/protocol';
import type { SiteCredentials } from '@webfarer/protocol/job';
import { splitStoreUrl, withStoreOptions } from '@webfarer/protocol/job/store-url';
import { credentialsLine, isMasked, redact, withoutUserinfo } from '@webfarer/protocol/url';

/**
 * What was given to this process by its environment or in a file, because it is nobody else's business: addresses with
 * passwords. It is used where it belongs and never written down.
 */
interface GivenSecrets {
  store?: string;
  proxy?: string;
  /** PEM of the key that requests are signed with. */
  identityKey?: string;
  credentials: SiteCredentials[];
}

const given: GivenSecrets = { credentials: [] };

export function giveStore(url: string): void {
  given.store = url;
}

export function giveProxy(url: string): void {
  given.proxy = url;
}

/** In the environment a PEM may have its line breaks written as `\n`. */
export function giveIdentityKey(pem: string): void {
  given.identityKey = pem.replaceAll('\\n', '\n');
}

/** The key given to this process, for every job that signs. */
export function givenIdentityKey(): GivenKey | undefined {
  const { identityKey: pem } = given;
  return pem === undefined
    ? undefined
    : { pem, where: 'the file of --identity-key or WEBFARER_IDENTITY_KEY' };
}

/** The private key that a job's requests are signed with: given to this process, else in the file that the job names. */
export async function identityKeyFor({ identity }: Job, baseFolder: string): Promise<GivenKey | undefined> {
  const own = givenIdentityKey();
  if (own) return own;
  if (identity?.keyFile === undefined) return undefined;
  const where = resolve(baseFolder, identity.keyFile);
  return {
    pem: await readSecretFile(where, 'the private key of the identity'),
    where,
    file: identity.keyFile,
  };
}

export interface GivenKey {
  pem: string;
  where: string;
  /** As the job names it: it is for jobs that name the same one. */
  file?: string;
}

/** One line for each site, see `credentialsLine`; `#` begins a comment. The error does not repeat the line. */
export function giveCredentials(text: string, where: string): void {
  for (const [n, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const found = credentialsLine(trimmed);
    if (!found)
      throw new WebfarerError('usage', `line ${n + 1} of ${where} holds no credentials for a site`, {
        next: 'Write one per line: https://name:password@example.org/ or https://example.org/ bearer TOKEN (or basic or form name:password)',
      });
    given.credentials.push(found);
  }
}

/** Those given to this process, for all sites. */
export function givenCredentials(): readonly SiteCredentials[] {
  return given.credentials;
}

/** The address of a store with the password given for it, where the address itself has none. */
export function givenStoreFor(url: string): string | undefined {
  const { store } = given;
  if (store === undefined || store === url) return undefined;
  const [own, asked] = [splitStoreUrl(store), splitStoreUrl(url)];
  if (withoutUserinfo(own.address) !== asked.address) return undefined;
  return withStoreOptions(store, { ...asked.options, ...own.options });
}

export function isGivenStore(url: string): boolean {
  return url === given.store;
}

/** The job with what was given for it. A proxy whose password was left out when the job was stored needs it again. */
export function withGivenSecrets(job: Job): Job {
  const { proxy: givenProxy, credentials } = given;
  const proxy = job.fetch.proxy.map((rule) => {
    if (!isMasked(rule.use)) return rule;
    if (givenProxy !== undefined && redact(givenProxy) === rule.use) return { ...rule, use: givenProxy };
    throw new WebfarerError('usage', `the proxy ${rule.use} needs its password, which is not stored`, {
      next: 'Write its whole address into a file and pass it with --proxy-file, or set WEBFARER_PROXY.',
    });
  });
  return { ...job, fetch: { ...job.fetch, proxy, credentials: [...job.fetch.credentials, ...credentials] } };
}

/**
 * The text of a file with a secret. A file of this user that others can read is refused: it would be no secret. One of
 * another user is accepted, as ssh does: an orchestrator mounts secrets as root, readable by a group or in the container.
 */
export async function readSecretFile(file: string, what: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new WebfarerError(
      'usage',
      `cannot read ${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`,
      {
        next: `Name a file that holds ${what}.`,
      },
    );
  });
  const { mode, uid } = await stat(file);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0)
    throw new WebfarerError('usage', `${file} can be read by other users of this machine`, {
      next: `Restrict it to your user:  chmod 600 ${file}`,
    });
  return text.trim();
}
