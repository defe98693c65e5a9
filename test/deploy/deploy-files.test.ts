import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compose, deploy, imageConfig, read } from './files.ts';
import { chartDigest, renderings } from './rendered.ts';
import { promisedStopSeconds, stopTimes, tooShort } from './stop-times.ts';

it('nothing kills a process of ours before a graceful stop can be over', () => {
  const times = stopTimes();
  expect(times.map(({ where }) => where)).toEqual([
    'systemd/webfarer-coordinator.service',
    'systemd/webfarer-worker@.service',
    'compose.yaml coordinator',
    'compose.yaml worker-1',
    'compose.yaml worker-2',
    'helm values.yaml',
  ]);
  expect(tooShort(times)).toEqual([]);
  expect(tooShort([{ where: 'x', seconds: promisedStopSeconds() }])).toHaveLength(1);
});

it('names in the compose file exist, and so do the files it mounts', () => {
  const { services, volumes, networks, secrets } = compose();
  for (const [name, service] of Object.entries(services)) {
    for (const secret of service.secrets ?? []) expect(secrets, name).toHaveProperty([secret]);
    for (const network of service.networks ?? []) expect(networks, name).toHaveProperty([network]);
    for (const mount of service.volumes ?? []) {
      const [source = ''] = mount.split(':');
      if (!source.startsWith('.')) expect(volumes, name).toHaveProperty([source]);
      // The folders of other parts of deploy/ are theirs.
      else if (!source.startsWith('../'))
        expect(existsSync(join(deploy, 'compose', source)), mount).toBe(true);
    }
    const awaited = Object.keys(service.depends_on ?? {});
    if (!Array.isArray(service.depends_on))
      for (const other of awaited) expect(services).toHaveProperty([other]);
  }
});

it('services of ours run without a writable root, without privileges, and each with a folder of its own', () => {
  const ours = Object.entries(compose().services).filter(([, { image }]) => image === 'webfarer');
  const folders = ours.map(([, { volumes = [] }]) => volumes.find((each) => each.endsWith(':/data')));
  expect(new Set(folders).size).toBe(ours.length);
  for (const [name, { read_only: isReadOnly, cap_drop: dropped }] of ours)
    expect([name, isReadOnly, dropped]).toEqual([name, true, ['ALL']]);
  expect(imageConfig().user).toBe('10001:10001');
});

it('the rendered manifests are those of the chart', () => {
  for (const file of Object.keys(renderings))
    expect(read(file), file).toContain(`# chart ${chartDigest()}\n`);
  expect(chartDigest()).toMatch(/^[0-9a-f]{64}$/);
  expect(createHash('sha256').update('').digest('hex')).not.toBe(chartDigest());
});

it('every variable that deploy/ sets is one that a service reads', () => {
  const commands = read('docs/commands.md');
  const elsewhere = /^WEBFARER_(STATE|IMAGE|HEALTH_URL|TOKEN|AT|METRICS)$/;
  const files = readdirSync(deploy, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const named = new Set<string>();
  for (const { parentPath, name } of files)
    for (const [variable] of read(join(parentPath, name).slice(deploy.length - 'deploy'.length)).matchAll(
      /\bWEBFARER_[A-Z_]+\b/g,
    ))
      named.add(variable);
  expect(named.size).toBeGreaterThan(10);
  for (const variable of named) if (!elsewhere.test(variable)) expect(commands).toContain(`\`${variable}\``);
});
