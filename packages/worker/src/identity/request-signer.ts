import { randomBytes } from 'node:crypto';
import type { HostKey } from '@webfarer/protocol';
import type { JobIdentity } from '@webfarer/protocol/job';
import { fitsHost } from '@webfarer/protocol/url';
import { signatureFields } from './message-signature.ts';
import type { SigningKey } from './signing-key.ts';

/** Signs requests on their way out. */
export interface RequestSigner {
  /** The fields that say who asks this authority, as the Host header names it; undefined: it is not to be told. */
  fieldsFor(authority: string): readonly [string, string][] | undefined;
}

export interface RequestSignerOptions {
  key: SigningKey;
  identity: Pick<JobIdentity, 'directory' | 'hosts'>;
  /** Time as the rest of the world has it. */
  wallMs: () => number;
}

/** Fields of a request that are the signer's own. */
export const signatureNames: ReadonlySet<string> = new Set([
  'signature',
  'signature-input',
  'signature-agent',
]);

/** An observer can replay a signature to the same site for as long; a site's clock may be wrong by as much. */
const LIFE_SECONDS = 60;
const LABEL = 'sig1';
const NONCE_BYTES = 32;

/**
 * Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-00): every request is signed for its own authority, together with
 * the origin that publishes the key.
 */
export function createRequestSigner({ key, identity, wallMs }: RequestSignerOptions): RequestSigner {
  const { directory, hosts } = identity;
  const all = hosts.includes('*');
  const isChosen = (host: HostKey) => hosts.some((pattern) => fitsHost(pattern, host));
  const agent = `"${directory}"`;
  const agentField: [string, string] = ['Signature-Agent', `${LABEL}=${agent}`];
  return {
    fieldsFor(authority) {
      if (!all && !isChosen(authority.replace(/:\d+$/, '') as HostKey)) return undefined;
      const created = Math.floor(wallMs() / 1_000);
      const parameters =
        `created=${created};expires=${created + LIFE_SECONDS};keyid="${key.id}";alg="ed25519"` +
        `;nonce="${randomBytes(NONCE_BYTES).toString('base64')}";tag="web-bot-auth"`;
      const covered = [
        ['"@authority"', authority],
        [`"signature-agent";key="${LABEL}"`, agent],
      ] as const;
      const { input, signature } = signatureFields(key, LABEL, { covered, parameters });
      return [agentField, ['Signature-Input', input], ['Signature', signature]];
    },
  };
}
