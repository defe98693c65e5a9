import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../outside/tools.ts';
import { deploy, root } from './files.ts';

const chart = join(deploy, 'helm/webfarer');

/** The chart as Kubernetes gets it, kept in the repository for those who have no Helm, with the values each has. */
export const renderings: Record<string, readonly string[]> = {
  'deploy/kubernetes/one-coordinator.yaml': [],
  'deploy/kubernetes/three-coordinators.yaml': [
    'coordinator.replicas=3',
    'store.existingSecret=webfarer-store',
    'podMonitor.enabled=true',
    'ingress.enabled=true',
    'ingress.tlsSecret=webfarer-tls',
    'networkPolicy.storeCidr=10.1.0.0/16',
  ],
};

/** Changes with every file of the chart. */
export function chartDigest(): string {
  const hash = createHash('sha256');
  const files = readdirSync(chart, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted())
    hash.update(`${path.slice(chart.length)}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

/** Lints the chart and answers what it renders, by file. Helm refuses what is not right. */
export async function render(helm: string): Promise<Record<string, string>> {
  const kubernetes = ['--kube-version', '1.34.0'];
  await run(helm, ['lint', '--strict', ...kubernetes, chart]);
  const made: Record<string, string> = {};
  for (const [file, values] of Object.entries(renderings)) {
    const set = values.flatMap((value) => ['--set', value]);
    const { stdout } = await run(helm, ['template', 'webfarer', chart, ...kubernetes, ...set]);
    const head = ['# Made by node test/deploy/rendered.ts from deploy/helm/webfarer; edit there.'];
    const with_ = values.length === 0 ? [] : [`# with ${values.join(' ')}`];
    made[file] = [...head, ...with_, `# chart ${chartDigest()}`, stdout].join('\n');
  }
  return made;
}

if (process.argv[1] === import.meta.filename) {
  const { helmCommand } = await import('./helm.ts');
  for (const [file, text] of Object.entries(await render(await helmCommand())))
    writeFileSync(join(root, file), text);
}
