import { isIP } from 'node:net';

/** A name that the browser is told not to find: without the proxy of a page there is no way out. */
const nowhere = 'http://nowhere.invalid:9';

/**
 * Features that are off. A second list takes the place of the first, so the one that playwright-core switches off is
 * repeated here. What follows it is ours: Chromium asks a server of its maker about every form it meets.
 */
const featuresOff = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'AutofillServerCommunication',
];

/** Without reports home and parts that are fetched later. */
const quietSwitches: readonly string[] = [
  `--disable-features=${featuresOff.join(',')}`,
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--disable-sync',
  '--no-pings',
];

const displaySwitches: readonly string[] = ['--no-first-run', '--mute-audio'];

/** For a browser of this machine that a person looks at: it does nothing on its own. */
export const personSwitches: readonly string[] = [...quietSwitches, ...displaySwitches];

/** In place of all names and addresses but those that are excluded. */
const noNames = 'MAP * ~NOTFOUND';

/**
 * What a browser does on its own besides showing pages is switched off: looking names up, guessing what comes next,
 * reporting home, fetching parts of itself, talking past a proxy.
 */
export function trafficSwitches(proxyHost: string): string[] {
  return [
    `--proxy-server=${nowhere}`,
    '--proxy-bypass-list=<-loopback>',
    `--host-resolver-rules=${noNames}, EXCLUDE ${proxyHost}`,
    ...quietSwitches,
    '--disable-quic',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--dns-prefetch-disable',
  ];
}

/** For a browser of our own. `keyDigest`: the one key whose certificates it takes for any name. */
export function launchSwitches(keyDigest: string): string[] {
  return [
    ...trafficSwitches('127.0.0.1'),
    `--ignore-certificate-errors-spki-list=${keyDigest}`,
    ...displaySwitches,
    memorySwitch,
  ];
}

const memorySwitch = '--js-flags=--max-old-space-size=512';

/** How an operator starts a browser that this worker can use. */
export function startCommand(proxyHost: string): string {
  const words = [
    'chromium-headless-shell',
    '--headless',
    '--remote-debugging-port=9222',
    '--user-data-dir=/tmp/webfarer-browser',
    // Without it a browser does not say how it was started.
    '--enable-automation',
    ...trafficSwitches(proxyHost),
    memorySwitch,
  ];
  return words.map((word) => (/[ *<>~]/.test(word) ? `'${word}'` : word)).join(' ');
}

/** Which of the switches that keep traffic on its way a browser was started without. Of one given twice the last counts. */
export function missingSwitches(commandLine: readonly string[], proxyHost: string): string[] {
  const given = new Map(commandLine.map((word) => parts(word)));
  return trafficSwitches(proxyHost).flatMap((wanted) => {
    const [name, value] = parts(wanted);
    const has = given.get(name);
    return has !== undefined && fits(name, has, value, proxyHost) ? [] : [name];
  });
}

function fits(name: string, has: string, wanted: string, proxyHost: string): boolean {
  if (name === '--disable-features') {
    const off = new Set(has.split(',').map((feature) => feature.trim()));
    return wanted.split(',').every((feature) => off.has(feature));
  }
  if (name !== '--host-resolver-rules') return has === wanted;
  // A pool serves several workers, each with a proxy of its own.
  const [all, ...excluded] = has.split(',').map((rule) => rule.trim());
  const hosts = excluded.map((rule) => rule.replace(/^EXCLUDE\s+/i, ''));
  return all === noNames && hosts.includes(proxyHost) && hosts.every((host) => isIP(host) !== 0);
}

function parts(word: string): [name: string, value: string] {
  const at = word.indexOf('=');
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
}
