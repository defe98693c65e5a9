import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { directoryDocument, directoryFields } from './key-directory.ts';
import { signatureBase, signatureFields } from './message-signature.ts';
import { createRequestSigner } from './request-signer.ts';
import { newPrivateKey, signingKey } from './signing-key.ts';

/** RFC 9421, B.1.4: test-key-ed25519. */
const testPem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
`;
const testKey = signingKey(testPem, 'the test');

describe('a key', () => {
  it('is named by the thumbprint that the draft gives for its example', () => {
    expect(testKey.id).toBe('poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U');
    expect(testKey.publicJwk.x).toBe('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs');
  });

  it('is new every time, and never in an error', () => {
    expect(signingKey(newPrivateKey(), 'a').id).not.toBe(signingKey(newPrivateKey(), 'b').id);
    const broken = testPem.replace('MC4C', 'MC4D');
    const text = (pem: string): string => {
      try {
        signingKey(pem, 'identity.key');
        return '';
      } catch (error) {
        return `${String(error)} ${JSON.stringify(error)}`;
      }
    };
    for (const bad of ['', 'no key', broken]) {
      expect(text(bad)).toContain('identity.key holds no Ed25519 private key');
      expect(text(bad)).not.toContain('BCIEIJ');
    }
  });
});

describe('a signature', () => {
  it('is that of RFC 9421, B.2.6', () => {
    const covered = [
      ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['"@method"', 'POST'],
      ['"@path"', '/foo'],
      ['"@authority"', 'example.com'],
      ['"content-type"', 'application/json'],
      ['"content-length"', '18'],
    ] as const;
    const parameters = 'created=1618884473;keyid="test-key-ed25519"';
    expect(signatureFields(testKey, 'sig-b26', { covered, parameters })).toEqual({
      input:
        'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      signature:
        'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
    });
  });

  it('is that of the Web Bot Auth draft, for a request', () => {
    const covered = [
      ['"@authority"', 'example.com'],
      ['"signature-agent";key="agent2"', '"https://signature-agent.test"'],
    ] as const;
    const parameters =
      'created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600' +
      ';nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="' +
      ';tag="web-bot-auth"';
    expect(signatureFields(testKey, 'sig2', { covered, parameters }).signature).toBe(
      'sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:',
    );
  });

  it('is that of the draft, for a directory', () => {
    const fields = directoryFields([testKey], {
      document: directoryDocument([testKey.publicJwk]),
      authority: 'signature-agent.test',
      createdSeconds: 1_735_689_600,
      expiresSeconds: 4_889_289_600,
    });
    expect(Object.fromEntries(fields)).toEqual({
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Content-Digest': 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:',
      'Signature-Input':
        'binding=("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";tag="http-message-signatures-directory"',
      Signature:
        'binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:',
    });
  });
});

describe('a request', () => {
  const wallMs = () => 1_700_000_000_999;
  const signer = (hosts: string[]) =>
    createRequestSigner({ key: testKey, identity: { directory: 'https://me.test', hosts }, wallMs });

  it('is signed for its authority, for a minute, under a nonce of its own', () => {
    const [first, second] = [1, 2].map(() =>
      Object.fromEntries(signer(['*']).fieldsFor('a.test:8080') ?? []),
    );
    const { 'Signature-Input': input = '', Signature: signature = '' } = first ?? {};
    expect(first?.['Signature-Agent']).toBe('sig1="https://me.test"');
    expect(input).toMatch(
      /^sig1=\("@authority" "signature-agent";key="sig1"\);created=1700000000;expires=1700000060;keyid="poqk[\w-]+";alg="ed25519";nonce="[A-Za-z0-9+/]{43}=";tag="web-bot-auth"$/,
    );
    expect(second?.['Signature-Input']).not.toBe(input);
    const covered = [
      ['"@authority"', 'a.test:8080'],
      ['"signature-agent";key="sig1"', '"https://me.test"'],
    ] as const;
    const base = signatureBase(covered, input.slice(input.indexOf(');') + 2));
    const bytes = Buffer.from(signature.slice('sig1=:'.length, -1), 'base64');
    const isOurs = (text: string) => verify(null, Buffer.from(text), createPublicKey(testPem), bytes);
    expect([isOurs(base), isOurs(base.replace('a.test:8080', 'b.test'))]).toEqual([true, false]);
  });

  it('is signed on the chosen hosts only', () => {
    const chosen = signer(['a.test', '*.b.test', '[::1]']);
    const signed = ['a.test', 'b.test:81', 'x.b.test', '[::1]:82'];
    const others = ['x.a.test', 'c.test', 'xb.test', '[::2]'];
    expect([...signed, ...others].filter((authority) => chosen.fieldsFor(authority))).toEqual(signed);
  });
});
