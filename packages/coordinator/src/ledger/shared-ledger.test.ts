import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostKey } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { LedgerOwner } from './host-ledger.ts';
import { openSharedLedger } from './shared-ledger.ts';

const terms = { team: 'red', gapMs: 10_000, holdMs: 60_000 };
const host = 'h.test' as HostKey;

it('is the same ledger for all who name the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-shared-'));
  const opened = [1, 2].map(() => openSharedLedger(join(folder, 'a', 'b', 'hosts.db')));
  const ledgers = opened.map((one) => ('ledger' in one ? one.ledger : undefined));
  const answers = ledgers.map((ledger, i) => ledger?.claim(`owner ${i}` as LedgerOwner, host, terms));
  expect(answers).toMatchObject([{ claimed: true }, { claimed: false, why: 'other-crawl' }]);
  for (const ledger of ledgers) ledger?.close();
  rmSync(folder, { recursive: true });
});

it('says what a crawl cannot do where the folder is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-shared-'));
  writeFileSync(join(folder, 'state'), 'a file');
  expect(openSharedLedger(join(folder, 'state', 'hosts.db'))).toEqual({
    warning: expect.stringMatching(/takes no turns with other crawls.*hosts\.db.*Set WEBFARER_STATE/s),
  });
  rmSync(folder, { recursive: true });
});
