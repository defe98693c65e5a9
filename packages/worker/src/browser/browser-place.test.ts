import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserPlace, proxyUrl } from './browser-place.ts';
import { missingSwitches, startCommand, trafficSwitches } from './switches.ts';

const placeOf = (browser: string, browserProxy?: string, process?: number) =>
  browserPlace({ browser, browserProxy, process });

describe('where pages are shown', () => {
  it('is a program, or a browser elsewhere that is named without its secrets', () => {
    expect(placeOf('/usr/bin/chromium')).toEqual({ kind: 'program', path: '/usr/bin/chromium' });
    const url = 'WSS://user:secret@pool.example:3000/chrome?token=secret';
    expect(placeOf(url, '10.0.0.5:3128')).toEqual({
      kind: 'elsewhere',
      url,
      name: 'wss://pool.example:3000',
      proxy: { host: '10.0.0.5', port: 3128 },
    });
  });

  it.each(['ws://127.0.0.1:9222/devtools/browser/x', 'http://localhost:9222', 'http://[::1]:9222/'])(
    'may be of this machine, which reaches its loopback: %s',
    (url) => expect(placeOf(url)).toMatchObject({ proxy: { host: '127.0.0.1', port: 0 } }),
  );

  it('has a proxy of its own for each process of a worker', () => {
    const ports = [undefined, 1, 2].map((process) => placeOf('http://[::1]:9222', '[fd00::5]:3128', process));
    expect(ports.map((place) => place?.kind === 'elsewhere' && proxyUrl(place.proxy))).toEqual([
      'http://[fd00::5]:3128',
      'http://[fd00::5]:3128',
      'http://[fd00::5]:3129',
    ]);
  });

  it.each([
    ['wss://pool.example/?token=secret', undefined, /wss:\/\/pool\.example cannot reach the loopback/],
    ['http://127.0.0.1.example:9222', undefined, /cannot reach the loopback/],
    ['ws://pool:9222', '0.0.0.0:3128', /wildcard/],
    ['ws://pool:9222', 'worker.example:3128', /not an IP address and a port/],
    ['ws://pool:9222', '10.0.0.5', /not an IP address and a port/],
    ['ws://pool:9222', '10.0.0.5:0', /not an IP address and a port/],
    ['ws://pool:9222', '10.0.0.5:70000', /not an IP address and a port/],
    ['ws:///?token=secret', undefined, /no host: ws:\/\/$/],
  ])('is refused where it cannot be used: %s with %s', (browser, proxy, message) => {
    expect(() => placeOf(browser, proxy)).toThrow(message);
    expect(() => placeOf(browser, proxy)).not.toThrow(/secret/);
  });
});

describe('how a browser was started', () => {
  const right = trafficSwitches('10.0.0.5');
  const without = (...more: string[]) => missingSwitches(['chromium', ...right, ...more], '10.0.0.5');

  it('is fine with all switches, also with more of them than needed', () => {
    expect(without()).toEqual([]);
    expect(without('--headless', '--disable-features=Other', right[3] ?? '')).toEqual([]);
    expect(without(`${right[3]},Other`)).toEqual([]);
    expect(without('--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 10.0.0.4, EXCLUDE 10.0.0.5')).toEqual([]);
  });

  it.each(right.map((word) => word.split('=', 1)[0] ?? ''))('needs %s', (name) => {
    const rest = right.filter((word) => !word.startsWith(`${name}=`) && word !== name);
    expect(missingSwitches(rest, '10.0.0.5')).toEqual([name]);
  });

  it.each([
    '--proxy-server=direct://',
    '--proxy-bypass-list=*.example',
    '--webrtc-ip-handling-policy=default',
    '--disable-features=Other',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 10.0.0.4',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 10.0.0.5, EXCLUDE *.example',
    '--host-resolver-rules=EXCLUDE 10.0.0.5, MAP * ~NOTFOUND',
  ])('is not fine where a later word takes it back: %s', (word) => {
    expect(without(word)).toEqual([word.split('=', 1)[0]]);
  });

  it('is said as one line for a shell', () => {
    const line = startCommand('10.0.0.5');
    expect(line).toContain(
      " --enable-automation --proxy-server=http://nowhere.invalid:9 '--proxy-bypass-list=<-loopback>'",
    );
    expect(line).toContain(" '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 10.0.0.5' ");
  });

  it('is documented', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../../docs/rendering.md'), 'utf8');
    expect(docs.replaceAll(/ \\\n +/g, ' ')).toContain(`\n${startCommand('127.0.0.1')}\n`);
  });
});
