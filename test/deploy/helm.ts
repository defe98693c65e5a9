import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runFetching } from '../outside/tools.ts';

const tools = resolve(import.meta.dirname, '../../.tools');
const version = 'v3.22.0';

/** Helm, built once from its sources: no package has it. Takes minutes, so CI judges what it rendered. */
export async function helmCommand(): Promise<string> {
  const folder = join(tools, `helm-${version}`);
  const helm = join(folder, 'helm');
  if (existsSync(helm)) return helm;
  console.error(`building helm ${version} …`);
  await runFetching('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { ...process.env, GOBIN: folder },
    maxBuffer: 1e8,
  });
  return helm;
}
