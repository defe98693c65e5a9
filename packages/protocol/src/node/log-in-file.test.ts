import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readLogInFile } from './log-in-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-log-in-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

it('reads the settings, with the secret from its own file', async () => {
  written('oidc.secret', 's3cret\n');
  const file = written(
    'log-in.yml',
    `issuer: https://login.example.org/realms/crawl
clientId: webfarer
clientSecretFile: oidc.secret
sessionLife: 30m
grants:
  - { group: crawl-admins, scope: admin }
  - { email: '*@example.org', scope: viewer, team: press }
`,
  );
  expect(await readLogInFile(file)).toEqual({
    issuer: 'https://login.example.org/realms/crawl',
    clientId: 'webfarer',
    clientSecret: 's3cret',
    scopes: ['openid', 'profile', 'email'],
    groupsClaim: 'groups',
    sessionLife: 1_800_000,
    grants: [
      { group: 'crawl-admins', scope: 'admin', team: 'default' },
      { email: '*@example.org', scope: 'viewer', team: 'press' },
    ],
  });
});

it('refuses settings that would let the wrong people in, or send secrets in the clear', async () => {
  const grants = 'grants: [{ group: a, scope: viewer }]';
  const of = (text: string) => readLogInFile(written('bad.yml', text));
  const issuer = 'issuer: https://login.example.org\nclientId: a';
  await expect(of(`issuer: http://login.example.org\nclientId: a\n${grants}`)).rejects.toThrow('https://');
  await expect(of(`issuer: http://127.0.0.1:1/\nclientId: a\n${grants}`)).resolves.toBeDefined();
  await expect(of(`${issuer}\ngrants: []`)).rejects.toThrow('grants');
  await expect(of(`${issuer}\ngrants: [{ scope: admin }]`)).rejects.toThrow('a group or an email');
  await expect(of(`${issuer}\ngrants: [{ email: '*', scope: admin }]`)).rejects.toThrow('an address');
  await expect(of(`${issuer}\ngrants: [{ group: a, scope: worker }]`)).rejects.toThrow('scope');
  await expect(of(`${issuer}\n${grants}\nsessionLife: 90d`)).rejects.toThrow('5m to 24h');
  await expect(of(`${issuer}\n${grants}\nclientSecretFile: none`)).rejects.toThrow('cannot read');
  await expect(of('a: [')).rejects.toThrow('neither YAML nor JSON');
});
