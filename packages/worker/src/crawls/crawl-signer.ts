import { WebfarerError } from '@webfarer/protocol';
import type { JobIdentity } from '@webfarer/protocol/job';
import { createRequestSigner, type RequestSigner } from '../identity/request-signer.ts';
import type { SigningKey } from '../identity/signing-key.ts';

/** Throws where this machine has no key: an unsigned request would go out under the name of the crawl all the same. */
export function signerFor(
  crawl: string,
  identity: JobIdentity,
  keyFor: (identity: JobIdentity) => SigningKey | undefined,
): RequestSigner {
  const key = keyFor(identity);
  // allow(time): others judge by their clocks, which a Clock leaves behind when the machine sleeps or is set
  if (key) return createRequestSigner({ key, identity, wallMs: Date.now });
  throw new WebfarerError(
    'usage',
    `the crawl ${crawl} signs its requests as ${identity.directory}, and there is no key for that here`,
    {
      next: 'Copy the key file to this machine and pass it with --identity-key, or set WEBFARER_IDENTITY_KEY.',
    },
  );
}
