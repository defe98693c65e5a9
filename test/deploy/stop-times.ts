import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { compose, deploy, read } from './files.ts';

export interface StopTime {
  where: string;
  seconds: number;
}

/** How long a graceful stop takes at most, as docs/signals.md promises it. */
export function promisedStopSeconds(): number {
  const [, seconds] = /It ends within (\d+) seconds/.exec(read('docs/signals.md')) ?? [];
  if (seconds === undefined)
    throw new Error('docs/signals.md no longer says within how many seconds a stop ends');
  return Number(seconds);
}

/** How long each file of deploy/ waits before it kills one of our processes. */
export function stopTimes(): StopTime[] {
  const units = readdirSync(join(deploy, 'systemd')).filter((name) => name.endsWith('.service'));
  const services = Object.entries(compose().services).filter(([, { image }]) => image === 'webfarer');
  const chart = parse(read('deploy/helm/webfarer/values.yaml')) as { terminationGracePeriodSeconds: number };
  return [
    ...units.map((name) => ({
      where: `systemd/${name}`,
      seconds: unitSeconds(read(`deploy/systemd/${name}`)),
    })),
    ...services.map(([name, { stop_grace_period: period }]) => ({
      where: `compose.yaml ${name}`,
      // Engines wait ten seconds where nothing is said.
      seconds: period === undefined ? 10 : Number(/^(\d+)s$/.exec(period)?.[1] ?? Number.NaN),
    })),
    { where: 'helm values.yaml', seconds: chart.terminationGracePeriodSeconds },
  ];
}

/** systemd waits 90 seconds where nothing is said. */
function unitSeconds(unit: string): number {
  const [, value = '90'] = /^TimeoutStopSec=(.*)$/m.exec(unit) ?? [];
  return /^\d+$/.test(value) ? Number(value) : Number.NaN;
}

/** Times that would cut a graceful stop short; a time that cannot be read is one of them. */
export function tooShort(times: readonly StopTime[], seconds = promisedStopSeconds()): StopTime[] {
  return times.filter((time) => !(time.seconds > seconds));
}
