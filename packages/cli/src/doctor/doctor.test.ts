import { createSocket, type Socket } from 'node:dgram';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder, sqlite } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { crawl } from '../library.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';
import { checkFolder } from './folder.ts';
import { browserCheck, checkMachine, clockCheck, diskCheck, nodeCheck } from './machine.ts';

let home: string;
let folder: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-doctor-'));
  folder = join(home, 'site.crawl');
  site = await startChangingSite({
    '/': { body: '<a href="/a">a</a>' },
    '/a': { body: 'x'.repeat(20_000) },
  });
  await crawl({
    name: 'site',
    folder,
    seeds: [`${site.origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: [site.origin] },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function findings(): Promise<Record<string, string>> {
  const checks = await checkFolder(folder, { local: localCrawls, nowMs: systemClock().now() });
  return Object.fromEntries(checks.map(({ name, ok, text }) => [name, `${ok ? '✓' : '✗'} ${text}`]));
}

const warc = () =>
  join(folder, 'archive', readdirSync(join(folder, 'archive')).find((n) => n.includes('.warc'))!);

describe('a crawl folder', () => {
  test('that is whole', async () => {
    const found = await findings();
    expect(found.balance).toBe('✓ known 2 = queued 0 + leased 0 + done 2 + failed 0 + refused 0');
    expect(found.lock).toBe('✓ free');
    expect(found['crawl.db']).toMatch(/^✓ .*intact$/);
    expect(found.archive).toMatch(/^✓ archive\/.*\d+ records, intact$/);
    expect(Object.values(found).every((text) => text.startsWith('✓'))).toBe(true);
  });

  test('that is in use', async () => {
    const lock = lockFolder(folder);
    try {
      expect((await findings()).lock).toBe('✓ held: a crawl is running here');
    } finally {
      lock.release();
    }
  });

  test('whose database is damaged', async () => {
    const file = join(folder, 'crawl.db');
    const bytes = readFileSync(file);
    bytes.fill(0x55, 4_096, bytes.length - 4_096);
    writeFileSync(file, bytes);
    expect((await findings())['crawl.db']).toMatch(/^✗ /);
    writeFileSync(file, 'this is no database at all'.repeat(400));
    expect((await findings())['crawl.db']).toMatch(/^✗ .*not a database/);
  });

  test('whose sums are wrong', async () => {
    const db = new (sqlite().DatabaseSync)(join(folder, 'crawl.db'));
    db.exec(`UPDATE crawls SET counters = json_set(counters, '$.done', 1, '$.failed', 1)`);
    expect((await findings()).balance).toMatch(/^✗ .*but 2 records are done, 0 records are failed/);
    db.exec(`UPDATE crawls SET counters = json_set(counters, '$.done', 7)`);
    db.close();
    expect((await findings()).balance).toMatch(/^✗ .*does not add up/);
  });

  test('whose archive is cut, damaged or gone', async () => {
    const file = warc();
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[Math.floor(bytes.length / 2)]! ^= 0xff;
    writeFileSync(file, flipped);
    expect((await findings()).archive).toMatch(/^✗ archive\/.*byte \d+: /);
    truncateSync(file, 300);
    expect((await findings()).archive).toMatch(/^✗ .*ends at .*records reach to/);
    rmSync(file);
    expect((await findings()).archive).toMatch(/^✗ .* is missing$/);
  });

  test('from the future', async () => {
    const file = join(folder, 'crawl.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { session: { updatedAtMs: number } };
    manifest.session.updatedAtMs += 86_400_000;
    writeFileSync(file, JSON.stringify(manifest));
    expect((await findings()).clock).toMatch(/^✗ last active .* in the future$/);
  });
});

describe('the machine', () => {
  test('Node, disk and clock', async () => {
    expect(nodeCheck('22.19.0').ok && nodeCheck('24.0.1').ok).toBe(true);
    expect(nodeCheck('22.18.9')).toMatchObject({ ok: false, next: expect.stringContaining('22.19') });
    expect((await diskCheck(home, 1)).ok).toBe(true);
    expect(await diskCheck(home, Number.MAX_SAFE_INTEGER)).toMatchObject({ ok: false });
    expect(clockCheck(0)).toMatchObject({ ok: false, text: '1970-01-01 00:00 UTC' });
  });

  test('a browser, one elsewhere that cannot be reached, and settings that cannot be used', async () => {
    const look = (browser: string, browserProxy?: string) =>
      browserCheck({ browser, browserProxy }, systemClock());
    expect(await look('/usr/bin/some-browser')).toEqual({ ok: true, text: '/usr/bin/some-browser' });
    const away = await look('ws://127.0.0.1:1/devtools?token=TOPSECRET');
    expect(away).toMatchObject({ ok: false, next: expect.stringContaining('WEBFARER_BROWSER') });
    expect(away.text).toMatch(/^cannot connect to the browser at ws:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(JSON.stringify(away)).not.toContain('TOPSECRET');
    expect(await look('wss://pool.example/?token=TOPSECRET')).toEqual({
      ok: false,
      text: 'the browser at wss://pool.example cannot reach the loopback of this machine',
      next: expect.stringContaining('WEBFARER_BROWSER_PROXY=ADDRESS:PORT'),
    });
  });

  /** A name server that answers every question with this code; port 0 takes a free one. */
  async function nameServer(code: number): Promise<{ socket: Socket; address: string }> {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address }) => {
      const answer = Buffer.from(question);
      answer.writeUInt16BE(0x8180 | code, 2);
      socket.send(answer, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return { socket, address: `127.0.0.1:${socket.address().port}` };
  }

  async function names(dns: string): Promise<string> {
    const options = { node: '24.0.0', cwd: home, clock: systemClock(), minFreeBytes: 1 };
    const checks = await checkMachine({ ...options, dns: [dns] });
    const found = checks.find(({ name }) => name === 'names');
    return `${found?.ok ? '✓' : '✗'} ${found?.text}`;
  }

  test('name servers that answer, and none', async () => {
    const { socket, address } = await nameServer(3);
    expect(await names(address)).toBe('✓ DNS servers respond');
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    expect(await names(address)).toMatch(/^✗ no response/);
  });
});

test('the command looks at everything here and exits with 4 where something is wrong', async () => {
  const run = async (...argv: string[]) => {
    const world = fakeWorld(home, {}, argv);
    world.context.local = localCrawls;
    return { exit: await runCli(argv, world.context), out: world.out() };
  };
  const good = await run('doctor', 'site', '--dns', '127.0.0.1:9');
  expect(good.out).toContain('  ./site.crawl\n    ✓ crawl.db');
  rmSync(warc());
  const bad = await run('doctor', '--dns', '127.0.0.1:9', '--json');
  expect(bad.exit).toBe(4);
  const lines = bad.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; ok: boolean });
  expect(lines.filter(({ name }) => name === 'archive')).toMatchObject([{ ok: false, of: './site.crawl' }]);
  expect(existsSync(join(folder, 'crawl.db'))).toBe(true);
});
