import { WebfarerError } from '@webfarer/protocol';
import type { Endpoint } from '../address/address.ts';

interface Refusal {
  what: string;
  next: string;
}

type About = (endpoint: Endpoint) => Refusal;

const serverOutdated: About = ({ host }) => ({
  what: `the certificate of ${host} has expired`,
  next: 'Renew the certificate of the server, then run again. If it is valid, check the clock of this machine.',
});
const unknownAuthority: About = ({ host, trust }) => ({
  what:
    trust?.ca === undefined
      ? `the certificate of ${host} is not signed by an authority that this machine trusts`
      : `the certificate of ${host} is not signed by the authority in ${trust.ca}`,
  next: 'Name the authority that signed it (PEM, with intermediates) with --store-ca FILE, then run again.',
});
const clientCertificate: About = ({ host, trust }) =>
  trust?.cert === undefined
    ? {
        what: `${host} requires a client certificate`,
        next: 'Give one: --store-cert FILE --store-key FILE (PEM).',
      }
    : {
        what: `${host} rejects the client certificate ${trust.cert}`,
        next: 'Use one that has not expired and that is signed by the authority of the server (tls-ca-cert-file).',
      };

/** By the code of Node and OpenSSL. */
const refusals: [RegExp, About][] = [
  [/^CERT_HAS_EXPIRED$/, serverOutdated],
  [
    /^CERT_NOT_YET_VALID$/,
    ({ host }) => ({
      what: `the certificate of ${host} is not valid yet`,
      next: 'Check the clocks of this machine and of the authority that issued the certificate.',
    }),
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ host, trust }) => ({
      what: `the certificate of the server at ${host} does not name ${trust?.serverName ?? host}`,
      next: 'Write the store address with a name that the certificate has, or say which one to expect with --store-server-name NAME.',
    }),
  ],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|INVALID_CA)/,
    unknownAuthority,
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    ({ host, port }) => ({
      what: `the server at ${host}:${port} does not speak TLS on this port`,
      next: 'Name its TLS port (tls-port), or write redis:// for a connection without encryption.',
    }),
  ],
  [
    /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_(EXPIRED|UNKNOWN|REVOKED)|DECRYPT_ERROR|ACCESS_DENIED)/,
    clientCertificate,
  ],
];

/** What to say where a connection failed for reasons of TLS; undefined where it failed for another. */
export function tlsRefusal(endpoint: Endpoint, cause: unknown): WebfarerError | undefined {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const found = refusals.find(([pattern]) => pattern.test(code));
  if (!endpoint.tls || found === undefined) return undefined;
  const { what, next } = found[1](endpoint);
  return new WebfarerError('store-denied', `cannot connect to the store: ${what}`, { next, cause });
}
